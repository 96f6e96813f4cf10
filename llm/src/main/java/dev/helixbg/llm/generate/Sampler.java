package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.TopPSampling;
import java.util.Arrays;
import java.util.Random;

/**
 * Chooses tokens as a {@link SamplingOptions} says. Draws come from {@link Random}, whose numbers
 * its specification fixes for every machine and release.
 */
final class Sampler {
  private final SamplingOptions sampling;
  private final Random random;

  /** The last tokens, in a ring. */
  private final int[] recent = new int[SamplingOptions.REPETITION_WINDOW];

  private int recentCount;

  /** Candidates as {@link #sortKey}s, the likeliest last. */
  private final long[] candidates;

  /** Their logits, the likeliest first. */
  private final float[] likeliest;

  Sampler(SamplingOptions sampling, int vocabulary) {
    this.sampling = sampling;
    random = new Random(sampling.seed());
    candidates = new long[vocabulary];
    likeliest = new float[vocabulary];
  }

  /** Takes note of a token of the prompt or the answer. */
  void saw(int id) {
    recent[recentCount++ % recent.length] = id;
  }

  /**
   * The next token; −1 if a logit is no number. {@code logits} has a value per token of the
   * vocabulary, and is changed.
   */
  int choose(float[] logits) {
    penaliseRepetition(logits);
    for (int id = 0; id < logits.length; id++) {
      candidates[id] = sortKey(logits[id], id);
    }
    return sampling.temperature() == 0 ? likeliest() : drawn();
  }

  private int drawn() {
    Arrays.sort(candidates);
    if (Float.isNaN(logit(ranked(0)))) {
      return -1;
    }
    TopPSampling draw = sampling.draw(candidates.length);
    for (int i = 0; i < draw.k(); i++) {
      likeliest[i] = logit(ranked(i));
    }
    return id(ranked(draw.rank(likeliest, random.nextDouble())));
  }

  private void penaliseRepetition(float[] logits) {
    if (sampling.repetitionPenalty() == 1) {
      return;
    }
    int held = Math.min(recentCount, recent.length);
    for (int i = 0; i < held; i++) {
      int id = recent[i];
      if (firstPlace(id, held) == i) {
        double factor =
            logits[id] > 0 ? 1 / sampling.repetitionPenalty() : sampling.repetitionPenalty();
        logits[id] *= (float) factor;
      }
    }
  }

  /** So that a token which was seen twice is penalised once. */
  private int firstPlace(int id, int held) {
    int i = 0;
    while (i < held && recent[i] != id) {
      i++;
    }
    return i;
  }

  private int likeliest() {
    long best = candidates[0];
    for (long candidate : candidates) {
      best = Math.max(best, candidate);
    }
    return Float.isNaN(logit(best)) ? -1 : id(best);
  }

  /** The candidate of a rank, 0 being the likeliest. */
  private long ranked(int rank) {
    return candidates[candidates.length - 1 - rank];
  }

  /**
   * Orders by logit, what is no number above all, and among equals by the smaller id: the logit's
   * bits, made to compare as integers do, above the complement of the id.
   */
  private static long sortKey(float logit, int id) {
    int bits = Float.floatToIntBits(logit);
    int ordered = bits ^ (bits >> 31 & Integer.MAX_VALUE);
    return (long) ordered << 32 | ~id & 0xFFFFFFFFL;
  }

  private static float logit(long sortKey) {
    int ordered = (int) (sortKey >> 32);
    return Float.intBitsToFloat(ordered ^ (ordered >> 31 & Integer.MAX_VALUE));
  }

  private static int id(long sortKey) {
    return ~(int) sortKey;
  }
}
