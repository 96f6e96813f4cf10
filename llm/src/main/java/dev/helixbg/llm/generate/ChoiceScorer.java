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
 * How likely each of a few answers is when the model may write nothing else.
 *
 * <p>Wherever the answers part, the tokens that go on share the probability among them; where they
 * do not part, the model has no say. Only the logits of those tokens are computed. What leads to a
 * later branch point is read in the pass of its prompt where the backend can, else in one that
 * follows. A prompt is computed in the same way with any other request beside it.
 */
public final class ChoiceScorer {
  /** A model is asked a handful of things; each set of answers keeps some of its memory. */
  private static final int MOST_KEPT = 64;

  private final ForwardPasses work;
  private final Map<List<List<Integer>>, ChoiceTree> kept = new HashMap<>();

  public ChoiceScorer(ForwardPasses work) {
    this.work = work;
  }

  /**
   * Probabilities: {@code result[i][j]} for prompt i and choice j; those of a prompt add up to one.
   *
   * @param shared is read only; all prompts follow it
   * @param prompts each with at least one token
   * @param choices at least one, the same for all prompts, none the beginning of another
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if a prompt with a choice does not
   *     fit
   * @throws CancellationException if cancelled, within a pass or between two
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

  /** A branch point after a prompt. */
  private record Place(int point, int prompt) {}

  /** Prompts that are read together, with all that follows them. */
  private final class Run {
    private final ChoiceTree choices;
    private final PromptGroup group;
    private final double[][] shares;
    private final BooleanSupplier cancelled;

    /** Branch points that are yet to be read up to. */
    private final List<Place> open = new ArrayList<>();

    /** Wanted rows of the pass that is put together. */
    private final List<Place> asked = new ArrayList<>();

    private final List<KvCache> caches = new ArrayList<>();

    /**
     * @param group added to the batch
     * @param shares a row per prompt
     */
    Run(ChoiceTree choices, PromptGroup group, double[][] shares, BooleanSupplier cancelled) {
      this.choices = choices;
      this.group = group;
      this.shares = shares;
      this.cancelled = cancelled;
    }

    /**
     * @param within whether branch points may go into the pass of their prompt
     */
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

    /** Adds as many open places as the batch has room for. */
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
        work.add(cache, path, 0, path.length, 1);
        room -= path.length;
        asked.add(open.removeFirst());
      }
    }

    private void runPass() {
      work.forward(choices.candidates(), cancelled);
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
