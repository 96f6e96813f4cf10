package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.kb.Kb;

/**
 * Tells early that the log of a KB has changed, so that nobody has to look all the time. A hint and
 * no more: {@link KbWatch} looks for itself, with hints or without.
 */
public interface ChangeHints {
  /**
   * Makes sure that the next change will be told, as far as this machine can. Called before each
   * look at the KB, and therefore cheap; it also finds out that the folder was replaced.
   *
   * @return whether it will be
   */
  boolean follow(Kb kb);

  /** Where the system tells nothing. */
  ChangeHints NONE = kb -> false;
}
