package dev.helixbg.llm.generate;

import java.util.Arrays;
import java.util.Random;

/**
 * Chooses tokens as a {@link Sampling} says. Draws come from {@link Random}, whose numbers its
 * specification fixes for every machine and release.
 */
final class Sampler {
  private final Sampling sampling;
  private final Random random;

  /** The last tokens, in a ring. */
  private final int[] recent = new int[Sampling.REPETITION_WINDOW];

  private int recentCount;

  /** Candidates as {@link #sortKey}s, the likeliest last. */
  private final long[] candidates;

  private final double[] probabilities;

  Sampler(Sampling sampling, int vocabulary) {
    this.sampling = sampling;
    random = new Random(sampling.seed());
    candidates = new long[vocabulary];
    probabilities = new double[vocabulary];
  }

  /** Takes note of a token of the prompt or the answer. */
  void saw(int id) {
    recent[recentCount++ % recent.length] = id;
  }

  /** The next token. {@code logits} has a value per token of the vocabulary, and is changed. */
  int choose(float[] logits) {
    penaliseRepetition(logits);
    for (int id = 0; id < logits.length; id++) {
      candidates[id] = sortKey(logits[id], id);
    }
    if (sampling.temperature() == 0) {
      return likeliest(logits.length);
    }
    Arrays.sort(candidates, 0, logits.length);
    int kept = sampling.topK() == 0 ? logits.length : Math.min(sampling.topK(), logits.length);
    kept = filterByProbability(logits, kept);
    return draw(logits, kept);
  }

  private void penaliseRepetition(float[] logits) {
    if (sampling.repetitionPenalty() == 1) {
      return;
    }
    int count = Math.min(recentCount, recent.length);
    for (int i = 0; i < count; i++) {
      int id = recent[i];
      if (firstPlace(id, count) == i) {
        double factor =
            logits[id] > 0 ? 1 / sampling.repetitionPenalty() : sampling.repetitionPenalty();
        logits[id] *= (float) factor;
      }
    }
  }

  /** So that a token which was seen twice is penalised once. */
  private int firstPlace(int id, int count) {
    int i = 0;
    while (i < count && recent[i] != id) {
      i++;
    }
    return i;
  }

  private int likeliest(int count) {
    long best = candidates[0];
    for (int i = 1; i < count; i++) {
      best = Math.max(best, candidates[i]);
    }
    return id(best);
  }

  /** Top-p, then min-p, among the {@code kept} likeliest; returns how many stay, at least one. */
  private int filterByProbability(float[] logits, int kept) {
    double total = weigh(logits, kept, 1);
    int stay = 0;
    double sum = 0;
    while (stay < kept && sum < sampling.topP() * total) {
      sum += probabilities[stay++];
    }
    stay = Math.max(1, stay);
    while (stay > 1 && probabilities[stay - 1] < sampling.minP() * probabilities[0]) {
      stay--;
    }
    return stay;
  }

  private int draw(float[] logits, int kept) {
    double point = random.nextDouble() * weigh(logits, kept, sampling.temperature());
    int i = 0;
    double sum = probabilities[0];
    while (i < kept - 1 && sum <= point) {
      sum += probabilities[++i];
    }
    return id(ranked(logits, i));
  }

  /** Sets the unnormalised probabilities of the {@code kept} likeliest; returns their sum. */
  private double weigh(float[] logits, int kept, double temperature) {
    double max = logits[id(ranked(logits, 0))];
    double total = 0;
    for (int i = 0; i < kept; i++) {
      probabilities[i] = Math.exp((logits[id(ranked(logits, i))] - max) / temperature);
      total += probabilities[i];
    }
    return total;
  }

  /** The candidate of a rank, 0 being the likeliest. */
  private long ranked(float[] logits, int rank) {
    return candidates[logits.length - 1 - rank];
  }

  /**
   * Orders by logit, and among equals by the smaller id: the logit's bits, made to compare as
   * integers do, above the complement of the id.
   */
  private static long sortKey(float logit, int id) {
    int bits = Float.floatToIntBits(logit);
    int ordered = bits ^ (bits >> 31 & Integer.MAX_VALUE);
    return (long) ordered << 32 | ~id & 0xFFFFFFFFL;
  }

  private static int id(long sortKey) {
    return ~(int) sortKey;
  }
}
