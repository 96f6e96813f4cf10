package dev.helixbg.llm.generate;

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
