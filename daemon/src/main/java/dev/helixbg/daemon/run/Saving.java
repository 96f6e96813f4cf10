package dev.helixbg.daemon.run;

/** What a run may write into a knowledge base. */
public enum Saving {
  NOTHING,
  /** New vectors go to the journal; {@code embeddings.bin} follows when enough of them wait. */
  JOURNAL,
  /** When the run ends, {@code embeddings.bin} holds all vectors. */
  PUBLISHED
}
