package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.pairs.RelationReranker;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Lets the pair judges read the pairs of a KB that are most likely about the same matter, and ranks
 * the pairs by the judges' results (readings). Without the pair judges, vectors and words rank the
 * pairs.
 */
public final class RerankingStage {
  private final Optional<? extends PairSource> source;
  private final int threads;
  private final Progress.Display display;
  private final Consumer<String> warnings;

  /**
   * Whether a pair judge proved unusable, so that this process does not try the pair judges again.
   */
  private volatile boolean refused;

  /**
   * @param source source of the pair judges; if empty, no pairs are read
   * @param warnings receives a sentence with the reason why no pairs were read
   */
  public RerankingStage(
      Optional<? extends PairSource> source,
      int threads,
      Progress.Display display,
      Consumer<String> warnings) {
    this.source = source;
    this.threads = threads;
    this.display = display;
    this.warnings = warnings;
  }

  /**
   * Reads pairs; returns the findings with their relations ranked by the readings.
   *
   * @throws InterruptedException when interrupted; readings so far are saved
   */
  Findings run(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, RelationReranker::rank);
  }

  /** Returns the findings with their relations ranked by the stored readings. */
  Findings remembered(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, RelationReranker::rankRemembered);
  }

  /** Returns the number of pairs that are not read yet; 0 if pairs cannot be read. */
  int left(KbStore store, Findings findings) throws InterruptedException {
    try {
      return isIdle(findings)
          ? 0
          : reader(store, Progress.Display.SILENT, _ -> Optional.empty())
              .left(findings.relations(), first(findings));
    } catch (EmbeddingException e) {
      refuse(e);
      return 0;
    }
  }

  private interface Ranking {
    List<Finding.Relation> of(RelationReranker reader, List<Finding.Relation> pairs, int first)
        throws InterruptedException;
  }

  private Findings ranked(KbStore store, Findings findings, Ranking ranking)
      throws InterruptedException {
    if (isIdle(findings)) {
      return findings;
    }
    try {
      // Answers of agents that judge worse than the language model should not count. The model's
      // reliability is unknown here, so the answers of all accepted agents are used.
      RelationReranker reader = reader(store, display, store.agents()::isWorthAnAct);
      return findings.with(ranking.of(reader, findings.relations(), first(findings)));
    } catch (EmbeddingException e) {
      refuse(e);
      return findings;
    }
  }

  private boolean isIdle(Findings findings) {
    return source.isEmpty() || refused || findings.relations().isEmpty();
  }

  /**
   * Stops using the pair judges after an error. Throws instead if the thread was interrupted: an
   * interrupt can make a write fail, and that failure looks the same as an unwritable file. Without
   * the exception, a report without readings would count as complete.
   */
  private void refuse(EmbeddingException e) throws InterruptedException {
    if (Thread.interrupted()) {
      throw (InterruptedException) new InterruptedException().initCause(e);
    }
    refused = true;
    warnings.accept(
        "pairs are ranked by vectors and words alone, without the pair judge: " + e.getMessage());
  }

  private RelationReranker reader(
      KbStore store, Progress.Display shown, Function<Finding.Relation, Optional<Boolean>> said) {
    PairSource.Judge judge = source.orElseThrow().judge();
    return new RelationReranker(
        store.readings(judge.id()),
        judge.ofNotes(),
        judge.ofFacts(),
        source.get()::open,
        shown,
        threads,
        said);
  }

  private static int first(Findings findings) {
    return Findings.shownRelations(findings.entries().size());
  }

  /** Returns the part of a report's basis that tells whether pair judges read pairs. */
  String basis() {
    return source.isPresent() ? "pairs are read" : "";
  }
}
