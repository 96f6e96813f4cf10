package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The relation of two entries. */
public enum Verdict {
  /** Both entries state the same fact, so one of them can be removed. */
  SAME,
  /** According to the newer entry, a statement of the older entry has changed or is wrong. */
  OVERTAKEN,
  /** The entries state different facts about the same thing. */
  RELATED,
  /** The entries have nothing in common. */
  DIFFERENT;

  private final String title = name().toLowerCase(Locale.ROOT);

  /** Returns the name used in files and by the model. */
  public String title() {
    return title;
  }

  /** Whether one entry of the pair can be removed. */
  public boolean isAct() {
    return this == SAME || this == OVERTAKEN;
  }

  /** Returns the verdict that a tier makes likely; empty for tiers that suggest no act. */
  static Optional<Verdict> of(Finding.Tier tier) {
    return switch (tier) {
      case LIKELY_SAME -> Optional.of(SAME);
      case LIKELY_OVERTAKEN -> Optional.of(OVERTAKEN);
      case RELATED, SERIES, UNKNOWN, NONE -> Optional.empty();
    };
  }

  public static Optional<Verdict> titled(String title) {
    return Arrays.stream(values()).filter(verdict -> verdict.title.equals(title)).findFirst();
  }
}
