package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Activations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A place where choices part, or where they all begin.
 *
 * @param path tokens that lead there
 * @param next the tokens that go on, each once
 * @param branch of each choice, the place in {@code next} where it goes on; −1 if it does not come
 *     here
 */
record BranchPoint(int[] path, int[] next, int[] branch) {

  /**
   * The place where choices begin, and all where they part behind it, the shortest path first.
   *
   * @throws IllegalArgumentException if a choice is the beginning of another
   */
  static List<BranchPoint> all(List<int[]> choices) {
    List<BranchPoint> points = new ArrayList<>();
    int longest = choices.stream().mapToInt(ids -> ids.length).max().orElse(0);
    for (int depth = 0; depth <= longest; depth++) {
      for (int j = 0; j < choices.size(); j++) {
        int[] path = Arrays.copyOf(choices.get(j), Math.min(depth, choices.get(j).length));
        if (path.length == depth && isFirst(choices, path, j)) {
          BranchPoint point = at(choices, path);
          if (depth == 0 || point.next().length > 1) {
            points.add(point);
          }
        }
      }
    }
    return points;
  }

  private static boolean isFirst(List<int[]> choices, int[] path, int j) {
    return choices.subList(0, j).stream().noneMatch(other -> beginsWith(other, path));
  }

  private static boolean beginsWith(int[] choice, int[] path) {
    return choice.length >= path.length
        && Arrays.equals(choice, 0, path.length, path, 0, path.length);
  }

  private static BranchPoint at(List<int[]> choices, int[] path) {
    int depth = path.length;
    List<int[]> here = choices.stream().filter(choice -> beginsWith(choice, path)).toList();
    if (here.size() > 1 && here.stream().anyMatch(choice -> choice.length == depth)) {
      throw new IllegalArgumentException("a choice is the beginning of another");
    }
    int[] next =
        here.stream().filter(c -> c.length > depth).mapToInt(c -> c[depth]).distinct().toArray();
    int[] branch = new int[choices.size()];
    for (int j = 0; j < branch.length; j++) {
      int[] choice = choices.get(j);
      branch[j] = -1;
      for (int k = 0; k < next.length; k++) {
        if (beginsWith(choice, path) && choice[depth] == next[k]) {
          branch[j] = k;
        }
      }
    }
    return new BranchPoint(path, next, branch);
  }

  /**
   * Multiplies the shares of the choices that come here by those of their tokens.
   *
   * @param first the column of {@code logits} for the first of {@link #next}; the others follow
   * @return false if the logits are no numbers
   */
  boolean share(Activations logits, int row, int first, double[] shares) {
    double[] weights = new double[next.length];
    double largest = Double.NEGATIVE_INFINITY;
    for (int k = 0; k < next.length; k++) {
      weights[k] = logits.get(row, first + k);
      largest = Math.max(largest, weights[k]);
    }
    double sum = 0;
    for (int k = 0; k < next.length; k++) {
      weights[k] = Math.exp(weights[k] - largest);
      sum += weights[k];
    }
    for (int j = 0; j < branch.length; j++) {
      if (branch[j] >= 0) {
        shares[j] *= weights[branch[j]] / sum;
      }
    }
    return !Double.isNaN(sum);
  }
}
