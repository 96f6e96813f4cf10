package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.KvCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Computes the probability of each given answer, as if the model could write only these answers.
 *
 * <p>At each branch point, where the answers differ, the probability is divided among the possible
 * next tokens. Only the logits of these tokens are computed. For a later branch point, the model
 * must also read the answer's tokens before that point. The pass that reads the prompt also reads
 * these tokens if the backend supports this; otherwise, a later pass does. A prompt's result does
 * not depend on other prompts in the pass.
 */
public final class ChoiceScorer {
  /** Maximum number of choice trees kept for reuse; each has copied weights and a device buffer. */
  private static final int MOST_KEPT = 64;

  private final ForwardPasses work;
  private final Map<List<List<Integer>>, ChoiceTree> kept = new HashMap<>();

  public ChoiceScorer(ForwardPasses work) {
    this.work = work;
  }

  /**
   * Returns probabilities: {@code result[i][j]} for prompt i and choice j. The probabilities of a
   * prompt add up to 1.
   *
   * @param shared the sequence that all prompts follow; it is not changed
   * @param prompts prompts of at least one token each
   * @param choices the possible answers to all prompts, at least one; no answer may be a prefix of
   *     another answer
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if a prompt and a choice are too
   *     long for the sequence
   * @throws CancellationException if cancelled, within a pass or between passes
   */
  public double[][] score(
      KvCache shared, List<int[]> prompts, List<int[]> choices, BooleanSupplier cancelled) {
    prompts.forEach(work::requirePrompt);
    choices.forEach(work::requirePrompt);
    ChoiceTree ready = ready(choices);
    prompts.forEach(prompt -> shared.requireRoom(prompt.length + ready.longestPath()));
    boolean within = work.model.backend().forksWithinPass();
    int moreRows = within ? ready.pathTokens() : 0;
    int moreSpans = within ? ready.points().size() - 1 : 0;
    double[][] shares = new double[prompts.size()][choices.size()];
    for (double[] row : shares) {
      Arrays.fill(row, 1);
    }
    for (int from = 0; from < prompts.size(); ) {
      int to = PromptGroup.end(work, prompts, from, moreRows, moreSpans);
      try (PromptGroup group = new PromptGroup(work, prompts.subList(from, to))) {
        group.add(shared, cancelled);
        new Run(ready, group, Arrays.copyOfRange(shares, from, to), cancelled).run(within);
      }
      from = to;
    }
    return shares;
  }

  private ChoiceTree ready(List<int[]> choices) {
    List<List<Integer>> key =
        choices.stream().map(ids -> Arrays.stream(ids).boxed().toList()).toList();
    if (kept.size() == MOST_KEPT && !kept.containsKey(key)) {
      kept.clear();
    }
    return kept.computeIfAbsent(key, k -> ChoiceTree.of(work.model, choices));
  }

  private record Place(int point, int prompt) {}

  /** Computes the probabilities of all answers (choices) to each prompt of one group. */
  private final class Run {
    private final ChoiceTree choices;
    private final PromptGroup group;
    private final double[][] shares;
    private final BooleanSupplier cancelled;

    /** Branch points whose paths (the answer's tokens before the point) are not read yet. */
    private final List<Place> open = new ArrayList<>();

    /** Branch points whose logits the next pass computes, in the order of the rows of logits. */
    private final List<Place> asked = new ArrayList<>();

    private final List<KvCache> caches = new ArrayList<>();

    Run(ChoiceTree choices, PromptGroup group, double[][] shares, BooleanSupplier cancelled) {
      this.choices = choices;
      this.group = group;
      this.shares = shares;
      this.cancelled = cancelled;
    }

    void run(boolean within) {
      for (int prompt = 0; prompt < group.size(); prompt++) {
        asked.add(new Place(0, prompt));
        for (int point = 1; point < choices.points().size(); point++) {
          open.add(new Place(point, prompt));
        }
      }
      try {
        if (within) {
          addOpen();
        }
        runPass();
        while (!open.isEmpty()) {
          work.clear();
          addOpen();
          runPass();
        }
      } finally {
        caches.forEach(KvCache::close);
      }
    }

    private void addOpen() {
      int room = work.promptTokens() - work.batch.rows();
      while (!open.isEmpty() && work.batch.freeWanted() > 0) {
        Place place = open.getFirst();
        int[] path = choices.points().get(place.point()).path();
        if (path.length > room && work.batch.rows() > 0) {
          return;
        }
        KvCache prompt = group.cache(place.prompt());
        KvCache cache = prompt.fork(prompt.length());
        caches.add(cache);
        work.add(cache, path, 0, path.length, 1, 0);
        room -= path.length;
        asked.add(open.removeFirst());
      }
    }

    private void runPass() {
      work.fill(cancelled);
      work.model.forward(work.batch, work.tokens, 0, choices.candidates(), cancelled);
      work.model.backend().submit().await();
      for (int row = 0; row < asked.size(); row++) {
        Place place = asked.get(row);
        if (!choices.share(place.point(), row, shares[place.prompt()])) {
          throw work.model.notNumbers();
        }
      }
      asked.clear();
    }
  }
}
