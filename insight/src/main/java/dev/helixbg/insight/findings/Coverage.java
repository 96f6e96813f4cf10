package dev.helixbg.insight.findings;

/**
 * The part of a log that an answer includes: entries without a vector are left out.
 *
 * @param indexed live entries whose whole text has vectors
 * @param total live entries
 */
public record Coverage(int indexed, int total) {

  /** Whether all entries are included. */
  public boolean isWhole() {
    return indexed >= total;
  }

  /** Returns a sentence on missing entries. */
  public String words() {
    return "only %,d of %,d entries are indexed: this answer leaves out the other entries"
        .formatted(indexed, total);
  }
}
