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
 * Lets the pair judges read the pairs that are most likely about the same matter, and ranks pairs
 * by these readings. Without the pair judges, vectors and words rank the pairs.
 */
public final class RerankingStage {
  private final Optional<? extends PairSource> source;
  private final int threads;
  private final Progress.Display display;
  private final Consumer<String> warnings;

  /** Whether a pair judge could not be used; this process then tries no more. */
  private volatile boolean refused;

  /** {@code source} is empty if no pairs are read; {@code warnings} receives a judge's failure. */
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
   * Lets the pair judges read pairs, and returns the findings ranked by the readings. If
   * interrupted, the readings made so far are saved.
   */
  public Findings run(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, true);
  }

  /** Returns the findings ranked by stored readings. */
  Findings remembered(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, false);
  }

  /** Returns the number of unread pairs; 0 if the judges cannot be used. */
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

  private Findings ranked(KbStore store, Findings findings, boolean reads)
      throws InterruptedException {
    if (isIdle(findings)) {
      return findings;
    }
    try {
      // Answers of agents that judge worse than the language model should not count. How well the
      // model judges is unknown here, so the answers of all accepted agents are used.
      RelationReranker reader = reader(store, display, store.agents()::isWorthAnAct);
      List<Finding.Relation> pairs = findings.relations();
      return findings.with(
          reads
              ? reader.rank(pairs, first(findings))
              : reader.rankRemembered(pairs, first(findings)));
    } catch (EmbeddingException e) {
      refuse(e);
      return findings;
    }
  }

  private boolean isIdle(Findings findings) {
    return source.isEmpty() || refused || findings.relations().isEmpty();
  }

  /**
   * Stops using the pair judges after an error. If the thread was interrupted, throws instead: a
   * report without readings must then not count as complete.
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

  /** Returns the part of a {@link ReportBasis} that tells whether pair judges read pairs. */
  String basis() {
    return source.isPresent() ? "pairs are read" : "";
  }
}
