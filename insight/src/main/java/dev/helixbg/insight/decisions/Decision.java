package dev.helixbg.insight.decisions;

import java.time.Instant;
import java.util.regex.Pattern;

/** A decision on one finding. {@code about} describes the finding for people. */
public record Decision(String id, Outcome outcome, Instant at, String about, By by, String reason) {
  /**
   * Pattern of a finding's id. It accepts any kind of finding, because a store may contain
   * decisions on kinds that only another version of helix-bg has.
   */
  private static final Pattern ID = Pattern.compile("[a-z]+-[0-9a-f]{10}(-[1-9][0-9]{0,8})?");

  public Decision {
    if (!isId(id)) {
      throw new IllegalArgumentException("not the id of a finding: " + id);
    }
  }

  public Decision(String id, Outcome outcome, Instant at, String about) {
    this(id, outcome, at, about, By.PERSON, "");
  }

  /** Who made a decision. Only decisions of persons are used to measure the pair judges. */
  public enum By {
    /** A person at a terminal. */
    PERSON,
    /** A program that acts for a person, such as a coding agent. */
    AGENT
  }

  /** What a decision says about its finding. */
  public enum Outcome {
    /** The finding must not be shown again: it is wrong, unimportant, or done elsewhere. */
    DISMISSED,
    /** Somebody acted on the finding, as the log shows; it is shown again if it recurs. */
    DONE,
    /** An earlier decision is withdrawn. */
    OPEN
  }

  /** Whether a text has the form of a finding's id. */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }
}
