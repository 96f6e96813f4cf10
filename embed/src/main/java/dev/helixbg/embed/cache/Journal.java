package dev.helixbg.embed.cache;

import java.util.Map;

/**
 * What the journal of a cache was found to hold. That there is one says that {@code embeddings.bin}
 * is not what the log says it should be.
 *
 * @param reason why it is not whole, for people; empty where it is, or is not there
 * @param vectors whose records are sound, whatever the state
 */
public record Journal(State state, String reason, Map<TextKey, float[]> vectors) {

  /** How it was found. */
  public enum State {
    NONE,
    WHOLE,
    /** It ends within a record: its writer was killed, or the disk was full. */
    TORN,
    /** Something in it, or about it, cannot be trusted. */
    DAMAGED,
    /** It is whole, and other users may read or write it. */
    OPEN
  }

  /** That of a cache which has none. */
  public static final Journal NONE = new Journal(State.NONE, "", Map.of());
}
