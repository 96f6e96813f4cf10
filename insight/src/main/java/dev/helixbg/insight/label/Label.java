package dev.helixbg.insight.label;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of entries, under the names that helix gives them as tags. */
public enum Label {
  ARCHITECTURE("the parts of a system and how they fit"),
  COUPLING("parts that must change together"),
  DATA_FLOW("how data moves from part to part"),
  DECISION("a choice that was made, and why"),
  GAP("something missing, untested or still to do"),
  GOTCHA("a surprising failure or trap"),
  HOW_TO("steps to do or fix something"),
  INVARIANT("a rule that must always hold"),
  MODULE_MAP("what lives in which module or folder"),
  PATTERN("a solution that recurs"),
  PERFORMANCE("a measured speed, size or cost");

  private final String title = name().toLowerCase(Locale.ROOT).replace('_', '-');
  private final String description;

  Label(String description) {
    this.description = description;
  }

  /** As a tag, such as {@code data-flow}. */
  public String title() {
    return title;
  }

  /** As the prompt explains it. */
  public String description() {
    return description;
  }

  /** The label of that title, if it is one. */
  public static Optional<Label> titled(String title) {
    return Arrays.stream(values()).filter(label -> label.title.equals(title)).findFirst();
  }

  /** The labels among an entry's tags, in written order. */
  public static List<Label> among(List<String> tags) {
    return tags.stream().map(Label::titled).flatMap(Optional::stream).distinct().toList();
  }
}
