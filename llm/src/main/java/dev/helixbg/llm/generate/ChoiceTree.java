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
 * A fixed set of answers, prepared for a model: the branch points at which the answers differ, and
 * the candidate tokens at each point.
 *
 * @param points branch points; the first point is the beginning of all answers
 * @param columns for each branch point, the column of its first candidate token in the logits
 * @param candidates candidate tokens of all branch points, in order
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

  int pathTokens() {
    return points.stream().mapToInt(point -> point.path().length).sum();
  }

  int longestPath() {
    return points.stream().mapToInt(point -> point.path().length).max().orElse(0);
  }

  boolean share(int point, int row, double[] shares) {
    float[] logits = new float[candidates.logits().columns()];
    candidates.logits().read(row, logits);
    return points.get(point).share(logits, columns[point], shares);
  }

  /**
   * A position at which the answers (choices) differ, or at which they all begin.
   *
   * @param path tokens before this position
   * @param next possible next tokens, without repetitions
   * @param branch for each choice, the index of its next token in {@code next}; −1 if the choice
   *     does not pass this position
   */
  record BranchPoint(int[] path, int[] next, int[] branch) {

    /** Returns the branch points; the points with the shortest paths come first. */
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

    private static BranchPoint at(int depth, List<int[]> here, List<int[]> choices) {
      if (here.size() > 1 && here.stream().anyMatch(choice -> choice.length == depth)) {
        throw new IllegalArgumentException("a choice is the beginning of another choice");
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
     * Multiplies each answer's probability in {@code shares} by the probability of the answer's
     * next token. Returns false if a logit is NaN.
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
