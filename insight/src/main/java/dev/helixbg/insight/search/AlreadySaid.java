package dev.helixbg.insight.search;

import dev.helixbg.insight.findings.Finding;

/**
 * Whether a knowledge base says already what a text says, as far as vectors can tell: they hardly
 * tell the same fact in other words from another fact about the same thing, so most answers are
 * that somebody has to read the nearest. How often each is right is in docs/findings.md.
 */
public enum AlreadySaid {
  YES,
  PERHAPS,
  NO;

  /** So many of a search's best hits are looked at: words may put others before the nearest. */
  public static final int LOOKED_AT = 20;

  /**
   * @param nearest the highest similarity of any entry; of none −1
   * @param everything whether all of the text was compared with all of every entry
   * @param nearDuplicate from where on entries are near-duplicates
   */
  public static AlreadySaid of(double nearest, boolean everything, double nearDuplicate) {
    return nearest >= nearDuplicate ? YES : everything && nearest < Finding.FAR ? NO : PERHAPS;
  }
}
