package dev.helixbg.daemon.mcp;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a client gives a tool, checked: whatever is wrong is told with what would be right. */
final class Arguments {
  private final Map<String, Object> given;

  /**
   * @throws Failure with {@link ExitCode#USAGE} for a name that the tool does not know
   */
  Arguments(Map<String, Object> given, Set<String> known) {
    this.given = given == null ? Map.of() : given;
    for (String name : this.given.keySet()) {
      if (!known.contains(name)) {
        throw Failure.usage(
            "there is no argument \"%s\"; there are: %s"
                .formatted(cut(name), String.join(", ", new TreeSet<>(known))));
      }
    }
  }

  /** A text that must be there. */
  String text(String name, int longest) {
    return optionalText(name, longest).orElseThrow(() -> missing(name));
  }

  /** A text; what is empty or null is none. */
  Optional<String> optionalText(String name, int longest) {
    Object value = given.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (!(value instanceof String text)) {
      throw Failure.usage("\"%s\" must be a string".formatted(name));
    }
    if (text.length() > longest) {
      throw Failure.usage(
          "\"%s\" may have %,d characters at most, this has %,d: shorten it"
              .formatted(name, longest, text.length()));
    }
    return text.isBlank() ? Optional.empty() : Optional.of(text);
  }

  int number(String name, int least, int most, int otherwise) {
    Object value = given.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!(value instanceof Number number)
        || number.doubleValue() != number.intValue()
        || number.intValue() < least
        || number.intValue() > most) {
      throw Failure.usage(
          "\"%s\" must be a whole number from %d to %d".formatted(name, least, most));
    }
    return number.intValue();
  }

  Optional<String> choice(String name, List<String> among) {
    Optional<String> value = optionalText(name, 100);
    value
        .filter(v -> !among.contains(v))
        .ifPresent(
            v -> {
              throw Failure.usage(
                  "\"%s\" must be one of %s".formatted(name, String.join(", ", among)));
            });
    return value;
  }

  /** A choice that must be made. */
  String needed(String name, List<String> among) {
    return choice(name, among).orElseThrow(() -> missing(name));
  }

  private static Failure missing(String name) {
    return Failure.usage("\"%s\" is missing: it is needed".formatted(name));
  }

  private static String cut(String name) {
    return name.length() <= 40 ? name : name.substring(0, 40) + "…";
  }
}
