package dev.helixbg.llm.generate;

import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.CandidateLogits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A closed set of answers made ready for a model: where they part, and the tokens that are looked
 * at there.
 *
 * @param points the first is where all answers begin
 * @param columns of each branch point, its first column among the candidates
 * @param candidates the tokens that go on, branch point after branch point
 */
record ChoiceTree(List<BranchPoint> points, int[] columns, CandidateLogits candidates) {

  static ChoiceTree of(Qwen3 model, List<int[]> choices) {
    List<BranchPoint> points = BranchPoint.all(choices);
    int[] columns = new int[points.size()];
    for (int i = 1; i < columns.length; i++) {
      columns[i] = columns[i - 1] + points.get(i - 1).next().length;
    }
    int[] ids = points.stream().flatMapToInt(point -> IntStream.of(point.next())).toArray();
    return new ChoiceTree(points, columns, model.candidates(ids));
  }

  /** Tokens on the ways to all branch points together. */
  int pathTokens() {
    return points.stream().mapToInt(point -> point.path().length).sum();
  }

  /** Tokens on the longest way to a branch point. */
  int longestPath() {
    return points.stream().mapToInt(point -> point.path().length).max().orElse(0);
  }

  /** Calls {@link BranchPoint#share} with the logits of a row. */
  boolean share(int point, int row, double[] shares) {
    float[] logits = new float[candidates.logits().columns()];
    candidates.logits().read(row, logits);
    return points.get(point).share(logits, columns[point], shares);
  }

  /**
   * A place where choices part, or where they all begin.
   *
   * @param path tokens that lead there
   * @param next the tokens that go on, each once
   * @param branch of each choice, the place in {@code next} where it goes on; −1 if it does not
   *     come here
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
        Map<List<Integer>, List<int[]>> byPath = new LinkedHashMap<>();
        for (int[] choice : choices) {
          if (choice.length >= depth) {
            List<Integer> path = Arrays.stream(choice, 0, depth).boxed().toList();
            byPath.computeIfAbsent(path, p -> new ArrayList<>()).add(choice);
          }
        }
        for (List<int[]> here : byPath.values()) {
          BranchPoint point = at(depth, here, choices);
          if (depth == 0 || point.next().length > 1) {
            points.add(point);
          }
        }
      }
      return points;
    }

    /**
     * @param here the choices that have the same first {@code depth} tokens
     */
    private static BranchPoint at(int depth, List<int[]> here, List<int[]> choices) {
      if (here.size() > 1 && here.stream().anyMatch(choice -> choice.length == depth)) {
        throw new IllegalArgumentException("a choice is the beginning of another");
      }
      List<Integer> next =
          here.stream().filter(c -> c.length > depth).map(c -> c[depth]).distinct().toList();
      int[] branch = new int[choices.size()];
      for (int j = 0; j < branch.length; j++) {
        int[] choice = choices.get(j);
        boolean goesOn = here.contains(choice) && choice.length > depth;
        branch[j] = goesOn ? next.indexOf(choice[depth]) : -1;
      }
      int[] path = Arrays.copyOf(here.getFirst(), depth);
      return new BranchPoint(path, next.stream().mapToInt(id -> id).toArray(), branch);
    }

    /**
     * Multiplies the shares of the choices that come here by those of their tokens.
     *
     * @param first the place in {@code logits} of the first of {@link #next}; the others follow
     * @return false if the logits are no numbers
     */
    boolean share(float[] logits, int first, double[] shares) {
      double[] weights = new double[next.length];
      double largest = Double.NEGATIVE_INFINITY;
      for (int k = 0; k < next.length; k++) {
        weights[k] = logits[first + k];
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
}
