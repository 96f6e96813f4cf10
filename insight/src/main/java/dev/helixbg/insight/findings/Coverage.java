package dev.helixbg.insight.findings;

/**
 * How much of a log an answer knows: while entries have no vector yet, it is an answer about the
 * others.
 *
 * @param indexed live entries whose text has a vector, to its end
 * @param total live entries
 */
public record Coverage(int indexed, int total) {

  /** Whether nothing is missing. */
  public boolean isWhole() {
    return indexed >= total;
  }

  /** For people, where it is not. */
  public String words() {
    return "only %,d of %,d entries are indexed: what the others say is not in this answer"
        .formatted(indexed, total);
  }
}
