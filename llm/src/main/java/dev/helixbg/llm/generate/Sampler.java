package dev.helixbg.llm.generate;

import java.util.Arrays;
import java.util.Random;

/**
 * Chooses tokens as a {@link SamplingOptions} says. Draws come from {@link Random}, whose numbers
 * its specification fixes for every machine and release.
 */
final class Sampler {
  private static final int MOST_INSERTED = 128;

  private final SamplingOptions sampling;
  private final Random random;

  /** The last tokens, in a ring. */
  private final int[] recent = new int[SamplingOptions.REPETITION_WINDOW];

  private int recentCount;

  /** As {@link #sortKey}s. */
  private final long[] candidates;

  /** The likeliest of them, the first first: top-k's. */
  private final long[] ranked;

  private final double[] probabilities;

  Sampler(SamplingOptions sampling, int vocabulary) {
    this.sampling = sampling;
    random = new Random(sampling.seed());
    candidates = new long[vocabulary];
    int k = sampling.topK() == 0 ? vocabulary : Math.min(sampling.topK(), vocabulary);
    ranked = new long[k];
    probabilities = new double[k];
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
    rank();
    if (Float.isNaN(logit(ranked[0]))) {
      return -1;
    }
    int stay = filter(weigh(ranked.length, 1));
    double end = random.nextDouble() * weigh(stay, sampling.temperature());
    int i = 0;
    double sum = probabilities[0];
    while (i < stay - 1 && sum <= end) {
      sum += probabilities[++i];
    }
    return id(ranked[i]);
  }

  /** Fills {@link #ranked}: a few by insertion, for sorting all takes as long as a GPU's pass. */
  private void rank() {
    int k = ranked.length;
    if (k > MOST_INSERTED) {
      Arrays.sort(candidates);
      for (int i = 0; i < k; i++) {
        ranked[i] = candidates[candidates.length - 1 - i];
      }
      return;
    }
    Arrays.fill(ranked, Long.MIN_VALUE);
    for (long candidate : candidates) {
      int at = k;
      for (; at > 0 && candidate > ranked[at - 1]; at--) {
        if (at < k) {
          ranked[at] = ranked[at - 1];
        }
      }
      if (at < k) {
        ranked[at] = candidate;
      }
    }
  }

  /** How many of the ranked stay by top-p and min-p, at least one. */
  private int filter(double total) {
    int stay = 0;
    double sum = 0;
    while (stay < ranked.length && sum < sampling.topP() * total) {
      sum += probabilities[stay++];
    }
    stay = Math.max(1, stay);
    while (stay > 1 && probabilities[stay - 1] < sampling.minP() * probabilities[0]) {
      stay--;
    }
    return stay;
  }

  /** Sets the unnormalised probabilities of the first; returns their sum. */
  private double weigh(int count, double temperature) {
    double total = 0;
    for (int i = 0; i < count; i++) {
      probabilities[i] = Math.exp((logit(ranked[i]) - (double) logit(ranked[0])) / temperature);
      total += probabilities[i];
    }
    return total;
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
