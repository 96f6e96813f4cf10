package dev.helixbg.insight.decisions;

import java.time.Instant;
import java.util.regex.Pattern;

/**
 * What the user said about one finding.
 *
 * @param id of the finding
 * @param about what the finding was about, for people; may be empty
 */
public record Decision(String id, Verdict verdict, Instant at, String about) {
  private static final Pattern ID =
      Pattern.compile("(dup|link|rel|topic|misfiled|merge)-[0-9a-f]{10}(-[1-9][0-9]{0,8})?");

  /** What is to become of a finding. */
  public enum Verdict {
    /** It is wrong or unimportant; never show it again. */
    DISMISSED,
    /** It was right and has been acted on. */
    DONE,
    /** An earlier decision is taken back. */
    OPEN
  }

  /** Whether a text has the form of a finding's id. */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /** The part of an id that names the kind of finding, such as {@code dup}. */
  static String kindOf(String id) {
    return id.substring(0, id.indexOf('-'));
  }
}
