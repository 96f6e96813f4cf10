package dev.helixbg.llm.backend;

/**
 * The keys and values of one sequence's positions so far, in all layers.
 *
 * <p>A cache belongs to the caller that asked for it, and is closed by it; closing its backend
 * closes it too.
 */
public abstract class KvCache implements AutoCloseable {
  private final KvShape shape;

  /** Positions held. */
  protected int length;

  protected KvCache(KvShape shape) {
    this.shape = shape;
  }

  public final KvShape shape() {
    return shape;
  }

  /** Positions held, including those a batch has claimed but not yet computed. */
  public final int length() {
    return length;
  }

  /**
   * Makes room for {@code count} more positions and counts them as held; the steps of the pass that
   * follows fill them.
   *
   * @throws ContextFullException if the limit would be passed; the cache is then unchanged
   */
  public final void extend(int count) {
    requireRoom(count);
    int end = length + count;
    makeRoom(end);
    length = end;
  }

  /**
   * Refuses what the sequence has no room for, before any of it is computed.
   *
   * @throws ContextFullException if it has none
   */
  public final void requireRoom(int count) {
    if (count > shape.limit() - length) {
      throw new ContextFullException(length, count, shape.limit());
    }
  }

  /** Makes room for the positions up to {@code end}; may count some of them already. */
  protected abstract void makeRoom(int end);

  /** Forgets all positions from {@code newLength} on. */
  public final void truncate(int newLength) {
    if (newLength < 0 || newLength > length) {
      throw new IllegalArgumentException("truncate " + length + " positions to " + newLength);
    }
    release(newLength);
    length = newLength;
  }

  /** Lets go of what only positions from {@code end} on need. */
  protected abstract void release(int end);

  /**
   * A new cache that holds the first {@code prefix} positions of this one. The positions are
   * shared, not copied; both caches go their own ways after them.
   */
  public final KvCache fork(int prefix) {
    if (prefix < 0 || prefix > length) {
      throw new IllegalArgumentException("fork at " + prefix + " of " + length + " positions");
    }
    KvCache fork = share(prefix);
    fork.length = prefix;
    return fork;
  }

  /** A cache that takes part in what the first {@code prefix} positions need. */
  protected abstract KvCache share(int prefix);

  @Override
  public final void close() {
    truncate(0);
  }

  /** A sequence would grow longer than its context allows. */
  public static final class ContextFullException extends RuntimeException {
    /** {@code held} positions are used, {@code wanted} more were asked for. */
    public ContextFullException(int held, int wanted, int limit) {
      super(
          "the context holds %d tokens: %d are used and %d more were asked for; shorten the text or raise the context limit"
              .formatted(limit, held, wanted));
    }
  }
}
