package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.pairs.RelationReranker;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Has the pair judge read the pairs of a KB that are most likely about one matter, and ranks them
 * by what it has read. Where it cannot be used, the list stays as vectors and words rank it.
 */
public final class RerankingStage {
  private final Optional<? extends PairSource> source;
  private final Progress.Display display;
  private final Consumer<String> warnings;

  /** Whether it could not be used; that was said, and will not change while this process lasts. */
  private volatile boolean refused;

  /**
   * @param source leads to the pair judge; without one, nothing is read
   * @param warnings is told, in a sentence, why nothing was read
   */
  public RerankingStage(
      Optional<? extends PairSource> source, Progress.Display display, Consumer<String> warnings) {
    this.source = source;
    this.display = display;
    this.warnings = warnings;
  }

  /**
   * The findings with their relations in the order of what was read.
   *
   * @throws InterruptedException when interrupted; what was read until then is saved
   */
  Findings run(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, RelationReranker::rank);
  }

  /** The findings with their relations in the order of what was read until now. */
  Findings remembered(KbStore store, Findings findings) throws InterruptedException {
    return ranked(store, findings, RelationReranker::rankRemembered);
  }

  /** How many pairs are still to be read; none where they cannot be. */
  int left(KbStore store, Findings findings) throws InterruptedException {
    try {
      return isIdle(findings)
          ? 0
          : reader(store, RelationReranker.ReadingProgress.SILENT, _ -> Optional.empty())
              .left(findings.relations(), first(findings));
    } catch (EmbeddingException e) {
      refuse(e);
      return 0;
    }
  }

  /** Puts relations into an order. */
  private interface Ranking {
    List<Finding.Relation> of(RelationReranker reader, List<Finding.Relation> pairs, int first)
        throws InterruptedException;
  }

  private Findings ranked(KbStore store, Findings findings, Ranking ranking)
      throws InterruptedException {
    if (isIdle(findings)) {
      return findings;
    }
    try (ShownReading shown = new ShownReading(display)) {
      // How far a language model can be trusted is not known yet: any agent that counts teaches.
      AgentAnswers said = new AgentAnswers(store.agentAnswers().all(), Optional.empty());
      RelationReranker reader = reader(store, shown, said::isWorthAnAct);
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
   * @throws InterruptedException when the judge only could not be prepared because of that: an
   *     interrupted file looks like one that cannot be written, and a report without what was to be
   *     read would pass for whole
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
      KbStore store,
      RelationReranker.ReadingProgress progress,
      Function<Finding.Relation, Optional<Boolean>> said) {
    PairSource.Judge judge = source.orElseThrow().judge();
    return new RelationReranker(
        store.readings(judge.id()), judge.calibration(), source.get()::open, progress, said);
  }

  private static int first(Findings findings) {
    return Findings.shownRelations(findings.entries().size());
  }

  /** The part of a report's basis that depends on the pair judge, for {@link Pipeline#basis}. */
  String basis() {
    return source.isPresent() ? "pairs are read" : "";
  }

  /** Reading as a bar. */
  private static final class ShownReading
      implements RelationReranker.ReadingProgress, AutoCloseable {
    private final Progress.Display display;
    private Progress bar = Progress.SILENT;

    ShownReading(Progress.Display display) {
      this.display = display;
    }

    @Override
    public void begin(int pairs, long work) {
      bar = display.begin("Reading pairs", pairs, work);
    }

    @Override
    public void read(long work) {
      bar.step(work);
    }

    @Override
    public void close() {
      bar.close();
    }
  }
}
