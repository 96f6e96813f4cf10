package dev.helixbg.llm.generate;

/**
 * An answer.
 *
 * @param tokenIds without the stop token
 * @param stopToken that ended it, or −1
 * @param promptTokens that were read for it
 * @param promptNanos from the call to the first token
 * @param decodeNanos from the first token to the last
 */
public record Generation(
    int[] tokenIds,
    StopReason stopReason,
    int stopToken,
    int promptTokens,
    long promptNanos,
    long decodeNanos) {

  /** Why an answer ended. */
  public enum StopReason {
    /** The model said so, by a stop token. */
    STOP_TOKEN,
    /** As many tokens as were asked for. */
    LENGTH,
    /** The sequence fills its context. */
    CONTEXT_FULL,
    /** The caller wanted no more. */
    CANCELLED
  }
}
