package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * How likely each of a few answers is when the model may write nothing else.
 *
 * <p>Wherever the answers part, the tokens that go on share the probability among them; where they
 * do not part, the model has no say. So answers that differ in their first token cost no pass
 * beyond the prompt's. A prompt is computed in the same way whatever is asked beside it.
 */
public final class ChoiceScorer {
  private final Workspace work;
  private final Backend backend;

  public ChoiceScorer(Workspace work) {
    this.work = work;
    backend = work.model.backend();
  }

  /**
   * Probabilities: {@code result[i][j]} for prompt i and choice j; those of a prompt add up to one.
   *
   * @param shared is read only; all prompts follow it
   * @param prompts each with at least one token
   * @param choices at least one, the same for all prompts, none the beginning of another
   * @throws dev.helixbg.llm.backend.ContextFullException if a prompt with a choice does not fit
   * @throws CancellationException if cancelled, within a pass or between two
   */
  public double[][] score(
      KvCache shared, List<int[]> prompts, List<int[]> choices, BooleanSupplier cancelled) {
    prompts.forEach(work::requirePrompt);
    choices.forEach(work::requirePrompt);
    List<Fork> forks = Fork.all(choices);
    double[][] shares = new double[prompts.size()][choices.size()];
    for (double[] row : shares) {
      Arrays.fill(row, 1);
    }
    for (int from = 0; from < prompts.size(); ) {
      int to = PromptGroup.end(work, prompts, from);
      try (PromptGroup group = new PromptGroup(work, prompts.subList(from, to))) {
        group.read(shared, cancelled);
        backend.submit().await();
        if (forks.getFirst().path().length == 0) {
          for (int i = from; i < to; i++) {
            forks.getFirst().share(work.model.logits(), i - from, shares[i]);
          }
        }
        follow(forks, group, shares, from, to, cancelled);
      }
      from = to;
    }
    return shares;
  }

  /** The way to a fork, after a prompt. */
  private record Way(Fork fork, int prompt) {}

  /** Reads the ways to all forks after every prompt of a group, as many at once as a pass takes. */
  private void follow(
      List<Fork> forks,
      PromptGroup group,
      double[][] shares,
      int from,
      int to,
      BooleanSupplier cancelled) {
    List<Way> ways = new ArrayList<>();
    for (Fork fork : forks) {
      for (int i = from; i < to && fork.path().length > 0; i++) {
        ways.add(new Way(fork, i));
      }
    }
    for (int first = 0; first < ways.size(); ) {
      List<KvCache> caches = new ArrayList<>();
      try {
        work.batch.clear();
        int end = first;
        int room = work.promptTokens();
        int most = first + work.batch.freeWanted();
        while (end < ways.size()
            && end < most
            && (end == first || ways.get(end).fork().path().length <= room)) {
          Way way = ways.get(end++);
          int[] path = way.fork().path();
          room -= path.length;
          KvCache prompt = group.cache(way.prompt() - from);
          KvCache cache = prompt.fork(prompt.length());
          caches.add(cache);
          work.add(cache, path, 0, path.length, 1);
        }
        work.steady();
        if (cancelled.getAsBoolean()) {
          throw new CancellationException();
        }
        work.model.forward(work.batch, work.tokens, 0, cancelled);
        backend.submit().await();
        for (int k = first; k < end; k++) {
          Way way = ways.get(k);
          way.fork().share(work.model.logits(), k - first, shares[way.prompt()]);
        }
        first = end;
      } finally {
        caches.forEach(KvCache::close);
      }
    }
  }

  /**
   * A place where choices part.
   *
   * @param path tokens that lead there
   * @param next the tokens that go on, each once
   * @param branch of each choice, the place in {@code next} where it goes on; −1 if it does not
   *     come here
   */
  private record Fork(int[] path, int[] next, int[] branch) {

    /** All of a set of choices, the shortest path first; of a single choice, none. */
    static List<Fork> all(List<int[]> choices) {
      List<Fork> forks = new ArrayList<>();
      int longest = choices.stream().mapToInt(ids -> ids.length).max().orElse(0);
      for (int depth = 0; depth <= longest; depth++) {
        for (int j = 0; j < choices.size(); j++) {
          int[] path = Arrays.copyOf(choices.get(j), Math.min(depth, choices.get(j).length));
          if (path.length == depth && isFirst(choices, path, j)) {
            addFork(forks, choices, path);
          }
        }
      }
      if (forks.isEmpty()) {
        forks.add(new Fork(new int[0], new int[0], new int[choices.size()]));
        Arrays.fill(forks.getFirst().branch(), -1);
      }
      return forks;
    }

    private static boolean isFirst(List<int[]> choices, int[] path, int j) {
      return choices.subList(0, j).stream().noneMatch(other -> beginsWith(other, path));
    }

    private static boolean beginsWith(int[] choice, int[] path) {
      return choice.length >= path.length
          && Arrays.equals(choice, 0, path.length, path, 0, path.length);
    }

    private static void addFork(List<Fork> forks, List<int[]> choices, int[] path) {
      int depth = path.length;
      List<int[]> here = choices.stream().filter(choice -> beginsWith(choice, path)).toList();
      if (here.size() > 1 && here.stream().anyMatch(choice -> choice.length == depth)) {
        throw new IllegalArgumentException("a choice is the beginning of another");
      }
      int[] next =
          here.stream().filter(c -> c.length > depth).mapToInt(c -> c[depth]).distinct().toArray();
      if (next.length < 2) {
        return;
      }
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
      forks.add(new Fork(path, next, branch));
    }

    /** Multiplies the shares of the choices that come here by those of their tokens. */
    void share(Activations logits, int row, double[] shares) {
      double[] weights = new double[next.length];
      double largest = Double.NEGATIVE_INFINITY;
      for (int k = 0; k < next.length; k++) {
        weights[k] = logits.get(row, next[k]);
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
    }
  }
}
