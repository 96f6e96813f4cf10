package dev.helixbg.llm.generate;

import dev.helixbg.llm.model.Candidates;
import dev.helixbg.llm.model.Qwen3;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A closed set of answers made ready for a model: where they part, and the tokens that are looked
 * at there.
 *
 * @param points the first is where all answers begin
 * @param columns of each branch point, its first column among the candidates
 * @param candidates the tokens that go on, branch point after branch point
 */
record Choices(List<BranchPoint> points, int[] columns, Candidates candidates) {

  static Choices of(Qwen3 model, List<int[]> choices) {
    List<BranchPoint> points = BranchPoint.all(choices);
    int[] columns = new int[points.size()];
    for (int i = 1; i < columns.length; i++) {
      columns[i] = columns[i - 1] + points.get(i - 1).next().length;
    }
    int[] ids = points.stream().flatMapToInt(point -> IntStream.of(point.next())).toArray();
    return new Choices(points, columns, model.candidates(ids));
  }

  /** Tokens on the ways to all branch points together. */
  int pathTokens() {
    return points.stream().mapToInt(point -> point.path().length).sum();
  }

  /** Tokens on the longest way to a branch point. */
  int longestPath() {
    return points.stream().mapToInt(point -> point.path().length).max().orElse(0);
  }

  /** As {@link BranchPoint#share}. */
  boolean share(int point, int row, double[] shares) {
    float[] logits = new float[candidates.logits().columns()];
    candidates.logits().read(row, logits);
    return points.get(point).share(logits, columns[point], shares);
  }
}
