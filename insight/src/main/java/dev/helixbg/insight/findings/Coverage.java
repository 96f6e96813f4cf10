package dev.helixbg.insight.findings;

/** The number of live entries whose whole text has vectors, and the number of all live entries. */
public record Coverage(int indexed, int total) {

  public boolean isWhole() {
    return indexed >= total;
  }

  public String words() {
    return "only %,d of %,d entries are indexed: this answer leaves out the other entries"
        .formatted(indexed, total);
  }
}
