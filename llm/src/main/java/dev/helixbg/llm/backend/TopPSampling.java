package dev.helixbg.llm.backend;

/**
 * How a token is drawn from the likeliest ones: top-p, then min-p, then the temperature.
 *
 * @param k so many of the likeliest tokens stay, at least one
 * @param topP of those stay until their probabilities add up to this
 * @param minP tokens stay whose probability is at least this share of the likeliest's
 * @param temperature the logits are divided by it; above 0
 */
public record TopPSampling(int k, double topP, double minP, double temperature) {
  /**
   * Draws.
   *
   * @param logits of the likeliest tokens, k or more of them, the largest first
   * @param point at least 0, less than 1: where in the sum of the probabilities
   * @return the place of the token that was drawn
   */
  public int rank(float[] logits, double point) {
    double[] probabilities = new double[k];
    int stay = filter(probabilities, weigh(logits, k, 1, probabilities));
    double end = point * weigh(logits, stay, temperature, probabilities);
    int i = 0;
    double sum = probabilities[0];
    while (i < stay - 1 && sum <= end) {
      sum += probabilities[++i];
    }
    return i;
  }

  /** How many stay, at least one. */
  private int filter(double[] probabilities, double total) {
    int stay = 0;
    double sum = 0;
    while (stay < k && sum < topP * total) {
      sum += probabilities[stay++];
    }
    stay = Math.max(1, stay);
    while (stay > 1 && probabilities[stay - 1] < minP * probabilities[0]) {
      stay--;
    }
    return stay;
  }

  /** Sets the unnormalised probabilities of the first; returns their sum. */
  private static double weigh(
      float[] logits, int count, double temperature, double[] probabilities) {
    double total = 0;
    for (int i = 0; i < count; i++) {
      probabilities[i] = Math.exp((logits[i] - (double) logits[0]) / temperature);
      total += probabilities[i];
    }
    return total;
  }
}
