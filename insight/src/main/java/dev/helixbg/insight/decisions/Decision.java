package dev.helixbg.insight.decisions;

import java.time.Instant;
import java.util.regex.Pattern;

/**
 * A decision about one finding.
 *
 * @param id of the finding
 * @param about what the finding was about, for people; may be empty
 * @param by who said it
 * @param reason why, in their own words; may be empty
 */
public record Decision(String id, Outcome outcome, Instant at, String about, By by, String reason) {
  private static final Pattern ID =
      Pattern.compile(
          "(copies|dup|link|rel|topic|misfiled|merge|lesson|source|pattern|junk|secret)-[0-9a-f]{10}"
              + "(-[1-9][0-9]{0,8})?");

  /** A decision of a person. */
  public Decision(String id, Outcome outcome, Instant at, String about) {
    this(id, outcome, at, about, By.PERSON, "");
  }

  /**
   * Who decides. Both take a finding out of the report; only what a person says counts as truth
   * where the judge is measured.
   */
  public enum By {
    /** A person at a terminal. */
    PERSON,
    /** A program that acts for a person, such as a coding agent. */
    AGENT
  }

  /** The fate of a finding, or an opinion of it. */
  public enum Outcome {
    /** It is wrong or unimportant; never show it again. */
    DISMISSED,
    /** It was right and has been acted on. */
    DONE,
    /** An earlier decision is taken back. */
    OPEN,
    /** Both entries say the same: one can go. */
    SAME,
    /** The newer entry has overtaken the older one. */
    OVERTAKEN,
    /** Both are worth keeping, and belong together. */
    RELATED,
    /** They have nothing to do with each other. */
    DIFFERENT;

    /** Whether this is an opinion, which leaves the finding where it is. */
    public boolean isOpinion() {
      return compareTo(OPEN) > 0;
    }
  }

  /** Whether a text has the form of a finding's id. */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }
}
