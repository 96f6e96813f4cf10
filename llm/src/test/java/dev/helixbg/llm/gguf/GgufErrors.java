package dev.helixbg.llm.gguf;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.function.Executable;

/** Reads the name and the offset of the wrong field from the message of a {@link GgufException}. */
public final class GgufErrors {
  private static final Pattern PLACE =
      Pattern.compile("\\((?:in '(?<name>.*)')? ?(?:at byte (?<offset>[0-9]+))?\\)$");

  private GgufErrors() {}

  public static GgufException refused(String words, Executable work) {
    GgufException error = assertThrows(GgufException.class, work);
    assertTrue(error.getMessage().contains(words), error.getMessage());
    return error;
  }

  public static String name(GgufException error) {
    Matcher place = PLACE.matcher(error.getMessage());
    return place.find() && place.group("name") != null ? place.group("name") : "";
  }

  public static long offset(GgufException error) {
    Matcher place = PLACE.matcher(error.getMessage());
    return place.find() && place.group("offset") != null
        ? Long.parseLong(place.group("offset"))
        : -1;
  }
}
