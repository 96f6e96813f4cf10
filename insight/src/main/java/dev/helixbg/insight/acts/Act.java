package dev.helixbg.insight.acts;

import java.util.List;
import java.util.Locale;

/**
 * One way to deal with a finding.
 *
 * @param when what must be true of the finding; one of them is enough
 * @param words what is done, as an order to the reader
 * @param calls of helix's tools that do it, in this order; none where it takes a hand
 */
public record Act(List<When> when, String words, List<HelixCall> calls) {
  public Act {
    when = List.copyOf(when);
    calls = List.copyOf(calls);
  }

  /** What a reader finds to be true. */
  public enum When {
    /** Both entries state the same. */
    SAME,
    /** The newer entry replaces or contradicts the older one. */
    OVERTAKEN,
    /** The entries belong together, and each says something of its own. */
    RELATED,
    /** The entry is under the wrong topic. */
    MISFILED,
    /** Two topics are about one subject. */
    OVERLAP;

    /** As it is called in files. */
    public String title() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
