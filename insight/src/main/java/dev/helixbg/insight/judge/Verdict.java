package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How two entries are related. */
public enum Verdict {
  /** Both state the same fact: one of them can go. */
  SAME,
  /** The newer entry says that something in the older one has changed, or is not so. */
  OVERTAKEN,
  /** Different facts about the same thing. */
  RELATED,
  /** Nothing in common. */
  DIFFERENT;

  private final String title = name().toLowerCase(Locale.ROOT);

  /** Returns the name used in files and by the model. */
  public String title() {
    return title;
  }

  /** Whether one of both entries can go. */
  public boolean isAct() {
    return this == SAME || this == OVERTAKEN;
  }

  /** Returns the likely verdict, if there is one to act on. */
  static Optional<Verdict> of(Finding.Tier tier) {
    return switch (tier) {
      case LIKELY_SAME -> Optional.of(SAME);
      case LIKELY_OVERTAKEN -> Optional.of(OVERTAKEN);
      case RELATED, SERIES, UNKNOWN, NONE -> Optional.empty();
    };
  }

  /** The verdict of that title, if it is one. */
  public static Optional<Verdict> titled(String title) {
    return Arrays.stream(values()).filter(verdict -> verdict.title.equals(title)).findFirst();
  }
}
