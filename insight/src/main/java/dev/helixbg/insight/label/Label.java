package dev.helixbg.insight.label;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of entries, with the names that helix uses as tags. */
public enum Label {
  ARCHITECTURE,
  COUPLING,
  DATA_FLOW,
  DECISION,
  GAP,
  GOTCHA,
  HOW_TO,
  INVARIANT,
  MODULE_MAP,
  PATTERN,
  PERFORMANCE;

  private final String title = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** Returns the label as a tag, such as {@code data-flow}. */
  public String title() {
    return title;
  }

  public static Optional<Label> titled(String title) {
    return Arrays.stream(values()).filter(label -> label.title.equals(title)).findFirst();
  }

  /** Returns the labels among an entry's tags, in the order of the tags. */
  public static List<Label> among(List<String> tags) {
    return tags.stream().map(Label::titled).flatMap(Optional::stream).distinct().toList();
  }
}
