package dev.helixbg.embed.bench;

import java.util.List;

/** Something that embeds texts and is measured against others on the same texts. */
@FunctionalInterface
public interface Contender {

  /** Vectors of unit length, in the order of the texts. */
  float[][] embed(List<String> texts) throws InterruptedException;
}
