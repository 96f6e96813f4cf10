package dev.helixbg.llm.backend;

/** A sequence would grow longer than its context allows. */
public final class ContextFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** {@code held} positions are used, {@code wanted} more were asked for. */
  public ContextFullException(int held, int wanted, int limit) {
    super(
        "the context holds %d tokens: %d are used and %d more were asked for; shorten the text or raise the context limit"
            .formatted(limit, held, wanted));
  }
}
