package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Log-probabilities of given continuations after given prompts.
 *
 * <p>All prompts follow one sequence that was read before, which they share. As many as fit are
 * read in one pass; then the continuations of all of them are read together, each on a fork of its
 * prompt's cache. A prompt is computed in the same way whatever is scored beside it.
 */
public final class Scorer {
  private final Workspace work;
  private final Backend backend;
  private final Activations sums;

  public Scorer(Workspace work) {
    this.work = work;
    backend = work.model.backend();
    sums = backend.activations(work.model.logits().rows(), 1);
  }

  /**
   * Natural logarithms of the probabilities that a continuation follows a prompt, whole: {@code
   * result[i][j]} for prompt i and continuation j. They are never normalised, and do not add up to
   * one over the continuations.
   *
   * @param shared is read only
   * @param prompts each with at least one token
   * @param continuations each with at least one token; the same for all prompts
   * @throws dev.helixbg.llm.backend.ContextFullException if a prompt with a continuation does not
   *     fit the context
   * @throws CancellationException if cancelled, within a pass or between two
   */
  public double[][] score(
      KvCache shared, List<int[]> prompts, List<int[]> continuations, BooleanSupplier cancelled) {
    prompts.forEach(work::requirePrompt);
    continuations.forEach(work::requirePrompt);
    continuations.forEach(this::requireShort);
    double[][] scores = new double[prompts.size()][continuations.size()];
    for (int from = 0; from < prompts.size(); ) {
      int to = PromptGroup.end(work, prompts, from);
      Group group = new Group(shared, prompts.subList(from, to), continuations, cancelled);
      group.score(scores, from);
      from = to;
    }
    return scores;
  }

  /** The rows after a continuation's first token must fit one pass. */
  private void requireShort(int[] continuation) {
    int most = work.model.logits().rows() + 1;
    if (continuation.length > most) {
      throw new IllegalArgumentException(
          "a continuation has %d tokens; at most %d can be scored"
              .formatted(continuation.length, most));
    }
  }

  /** Prompts that are read together. */
  private final class Group {
    private final KvCache shared;
    private final List<int[]> prompts;
    private final List<int[]> continuations;
    private final BooleanSupplier cancelled;
    private final PromptGroup group;
    private final List<Part> parts = new ArrayList<>();

    /** The rows of a continuation in the pass being put together. */
    private record Part(KvCache fork, int prompt, int continuation, int firstWanted) {}

    Group(
        KvCache shared, List<int[]> prompts, List<int[]> continuations, BooleanSupplier cancelled) {
      this.shared = shared;
      this.prompts = prompts;
      this.continuations = continuations;
      this.cancelled = cancelled;
      group = new PromptGroup(work, prompts);
    }

    void score(double[][] scores, int from) {
      try {
        group.add(shared, cancelled);
        work.forward(cancelled);
        runPass();
        work.batch.clear();
        for (int i = 0; i < prompts.size(); i++) {
          for (int j = 0; j < continuations.size(); j++) {
            scores[from + i][j] = logProbability(i, continuations.get(j)[0]);
          }
        }
        for (int i = 0; i < prompts.size(); i++) {
          for (int j = 0; j < continuations.size(); j++) {
            addRest(scores, from, i, j);
          }
        }
        finishParts(scores, from);
      } finally {
        parts.forEach(part -> part.fork().close());
        group.close();
      }
    }

    private void runPass() {
      backend.logSumExp(work.batch, work.model.logits(), sums);
      backend.submit().await();
    }

    private double logProbability(int row, int id) {
      return (double) work.model.logits().get(row, id) - sums.get(row, 0);
    }

    /** Adds the rows that say how likely the tokens after the first are, once there is room. */
    private void addRest(double[][] scores, int from, int prompt, int continuation) {
      int[] ids = continuations.get(continuation);
      int rows = ids.length - 1;
      if (rows == 0) {
        return;
      }
      if (!fits(rows)) {
        finishParts(scores, from);
      }
      KvCache cache = group.cache(prompt);
      KvCache fork = cache.fork(cache.length());
      parts.add(new Part(fork, prompt, continuation, work.batch.wanted()));
      work.add(fork, ids, 0, rows, rows);
    }

    private boolean fits(int rows) {
      return rows <= work.batch.freeRows() && rows <= work.batch.freeWanted();
    }

    /** Runs the pass that was put together, if any, and empties the batch for the next. */
    private void finishParts(double[][] scores, int from) {
      if (!parts.isEmpty()) {
        work.forward(cancelled);
        runPass();
      }
      for (Part part : parts) {
        int[] ids = continuations.get(part.continuation());
        for (int i = 1; i < ids.length; i++) {
          scores[from + part.prompt()][part.continuation()] +=
              logProbability(part.firstWanted() + i - 1, ids[i]);
        }
        part.fork().close();
      }
      parts.clear();
      work.batch.clear();
    }
  }
}
