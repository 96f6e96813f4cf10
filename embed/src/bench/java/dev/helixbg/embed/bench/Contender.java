package dev.helixbg.embed.bench;

import java.util.List;

/** A method of embedding texts, which a benchmark compares with other methods on the same texts. */
@FunctionalInterface
public interface Contender {

  /** Returns vectors of unit length, in the order of the texts. */
  float[][] embed(List<String> texts) throws InterruptedException;
}
