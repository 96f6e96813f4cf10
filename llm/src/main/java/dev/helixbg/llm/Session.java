package dev.helixbg.llm;

import dev.helixbg.llm.backend.KvCache;

/**
 * What a model has read of one sequence. A fork shares what was read so far, at no cost: the
 * opening of a job is read once, and every entry follows a fork of it.
 */
public final class Session implements AutoCloseable {
  private final KvCache cache;

  Session(KvCache cache) {
    this.cache = cache;
  }

  public int length() {
    return cache.length();
  }

  /** Another session that has read the same; both go their own ways. */
  public Session fork() {
    return new Session(cache.fork(cache.length()));
  }

  KvCache cache() {
    return cache;
  }

  /** Frees its memory for other sessions. */
  @Override
  public void close() {
    cache.close();
  }
}
