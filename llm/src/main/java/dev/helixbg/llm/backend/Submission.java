package dev.helixbg.llm.backend;

/** Steps handed to a device. */
public interface Submission {
  /** What a device returns that has finished when {@link Backend#submit} returns. */
  Submission DONE = () -> {};

  /** Returns when all its steps are finished; fails if one of them did. */
  void await();
}
