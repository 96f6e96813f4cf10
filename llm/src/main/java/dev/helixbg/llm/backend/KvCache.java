package dev.helixbg.llm.backend;

/**
 * The keys and values of one sequence, in all layers. The caller that requested a cache closes it;
 * closing the backend closes the cache, too.
 */
public abstract class KvCache implements AutoCloseable {
  private final KvShape shape;
  protected int length;

  protected KvCache(KvShape shape) {
    this.shape = shape;
  }

  public final KvShape shape() {
    return shape;
  }

  /** Returns the number of positions, including claimed positions that are not computed yet. */
  public final int length() {
    return length;
  }

  /**
   * Claims {@code count} more positions, which the steps of the next pass fill.
   *
   * @throws ContextFullException if the cache would exceed its limit; the cache is then unchanged
   */
  public final void extend(int count) {
    requireRoom(count);
    int end = length + count;
    makeRoom(end);
    length = end;
  }

  /**
   * Checks that the sequence has room for {@code count} more positions.
   *
   * @throws ContextFullException if it has no room
   */
  public final void requireRoom(int count) {
    if (count > shape.limit() - length) {
      throw new ContextFullException(length, count, shape.limit());
    }
  }

  /**
   * Allocates the memory of all positions before {@code end}. The implementation may also set
   * {@link #length} to {@code end}.
   */
  protected abstract void makeRoom(int end);

  public final void truncate(int newLength) {
    if (newLength < 0 || newLength > length) {
      throw new IllegalArgumentException("truncate " + length + " positions to " + newLength);
    }
    release(newLength);
    length = newLength;
  }

  /** Frees the memory that is used only by positions from {@code end} on. */
  protected abstract void release(int end);

  /**
   * Returns a new cache with the first {@code prefix} positions of this cache. These positions are
   * shared, not copied; later positions are separate.
   */
  public final KvCache fork(int prefix) {
    if (prefix < 0 || prefix > length) {
      throw new IllegalArgumentException("fork at " + prefix + " of " + length + " positions");
    }
    KvCache fork = share(prefix);
    fork.length = prefix;
    return fork;
  }

  protected abstract KvCache share(int prefix);

  @Override
  public final void close() {
    truncate(0);
  }

  public static final class ContextFullException extends RuntimeException {
    public ContextFullException(int held, int wanted, int limit) {
      super(
          ("the context has room for %d tokens; %d are used, and %d more are needed: shorten the"
                  + " text, or raise the context limit if the model allows more")
              .formatted(limit, held, wanted));
    }
  }
}
