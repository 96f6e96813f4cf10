package dev.helixbg.llm.gpu;

/**
 * How often the host blocked until the GPU was done, and for how long in all.
 *
 * @param times that it blocked
 * @param nanos of all of them
 */
public record Waited(long times, long nanos) {
  Waited plus(long more) {
    return new Waited(times + 1, nanos + more);
  }
}
