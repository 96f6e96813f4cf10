package dev.helixbg.llm.generate;

import dev.helixbg.llm.model.Candidates;
import dev.helixbg.llm.model.Qwen3;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A closed set of answers made ready for a model: where they part, and the tokens that are looked
 * at there.
 *
 * @param forks the first is where all answers begin
 * @param columns of each fork, its first column among the candidates
 * @param candidates the tokens that go on, fork after fork
 */
record Choices(List<Fork> forks, int[] columns, Candidates candidates) {

  static Choices of(Qwen3 model, List<int[]> choices) {
    List<Fork> forks = Fork.all(choices);
    int[] columns = new int[forks.size()];
    for (int i = 1; i < columns.length; i++) {
      columns[i] = columns[i - 1] + forks.get(i - 1).next().length;
    }
    int[] ids = forks.stream().flatMapToInt(fork -> IntStream.of(fork.next())).toArray();
    return new Choices(forks, columns, model.candidates(ids));
  }

  /** Tokens on the ways to all forks together. */
  int pathTokens() {
    return forks.stream().mapToInt(fork -> fork.path().length).sum();
  }

  /** Multiplies the shares of the choices that come to a fork. */
  void share(int fork, int row, double[] shares) {
    forks.get(fork).share(candidates.logits(), row, columns[fork], shares);
  }
}
