package dev.helixbg.llm.backend;

/**
 * The keys and values of one sequence's positions so far, in all layers.
 *
 * <p>A cache belongs to whoever asked for it, and is closed by it; closing its backend closes it
 * too.
 */
public interface KvCache extends AutoCloseable {

  KvShape shape();

  /** Positions held, including those a batch has claimed but not yet computed. */
  int length();

  /**
   * Makes room for {@code count} more positions and counts them as held; the steps of the pass that
   * follows fill them.
   *
   * @throws ContextFullException if the limit would be passed; the cache is then unchanged
   */
  void extend(int count);

  /** Forgets all positions from {@code length} on. */
  void truncate(int length);

  /**
   * A new cache that holds the first {@code prefix} positions of this one. The positions are
   * shared, not copied; both caches go their own ways after them.
   */
  KvCache fork(int prefix);

  @Override
  void close();
}
