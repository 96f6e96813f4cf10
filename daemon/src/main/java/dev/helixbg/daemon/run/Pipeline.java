package dev.helixbg.daemon.run;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One run over one knowledge base, in reading order: log, vectors, findings, judgements, report.
 */
public record Pipeline(
    Settings settings,
    EmbedderSource embedder,
    Analyst analyst,
    Judging judging,
    Progress.Display display) {
  /** Finds what is worth telling: once, or again and again for a KB that changes. */
  public interface Analyst {
    /**
     * @see dev.helixbg.insight.findings.Analysis#run
     */
    Findings analyse(
        List<NamedEntry> entries,
        Vectors vectors,
        PassageVectors passages,
        InsightSettings settings,
        int threads);
  }

  /**
   * @param report what was found
   * @param vectors how the vectors came about
   */
  public record Outcome(Report report, VectorUpdate.Result vectors) {

    /**
     * Questions that the language model has not been asked yet; those that follow are not known.
     */
    public int questions() {
      return report.judgements().left().values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * @param saving of vectors; answers are saved where it is not nothing
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
   */
  public Outcome run(Kb kb, Saving saving) throws InterruptedException {
    return run(kb, DataLog.readQuiet(kb.dataLog()), saving);
  }

  /**
   * @param log of that KB, just read
   * @see #run(Kb, Saving)
   */
  public Outcome run(Kb kb, LogReading log, Saving saving) throws InterruptedException {
    VectorUpdate.Result vectors = updateVectors(kb, log, saving);
    Decisions decisions = decisions(kb);
    KbEntries known = vectors.of(log);
    Findings all =
        analyst.analyse(
            known.named(),
            known.vectors(),
            known.passages(),
            decisions.widened(settings.insight()),
            settings.threads());
    Findings open = decisions.applyTo(all, settings.insight());
    Judgements judged = judging.run(kb, open, vectors.vectors(), saving != Saving.NOTHING);
    Report.Run run = new Report.Run(Version.text(), embedder.describe());
    Judgements judgements = judged.withoutMerges(id -> decisions.on(id).isPresent());
    Set<String> settled =
        all.relations().stream()
            .filter(pair -> decisions.isSettled(pair.aliases()))
            .map(Finding::id)
            .collect(Collectors.toSet());
    List<Review> reviews =
        Reviews.latest(kb).stream()
            .map(
                review ->
                    review.without(id -> settled.contains(id) || decisions.on(id).isPresent()))
            .toList();
    Report report = new Report(open, log.account(), run, judgements, reviews);
    return new Outcome(report, vectors);
  }

  /** The vectors alone. */
  public VectorUpdate.Result updateVectors(Kb kb, LogReading log, Saving saving)
      throws InterruptedException {
    return VectorUpdate.of(kb, log, embedder, saving, display);
  }

  /**
   * Everything but the log that a report is made from, each as 64 hexadecimal digits.
   *
   * @param made by whom: program, models with their answers, settings
   * @param said about findings and over time: decisions and reviews
   */
  public record Basis(String made, String said) {}

  /**
   * @throws Failure when the decisions, answers or reviews cannot be read
   */
  public Basis basis(Kb kb) {
    List<String> made = new ArrayList<>();
    made.add(Version.text());
    made.add(embedder.id());
    made.add(embedder.describe());
    made.add(settings.insight().toString());
    made.add(settings.llm().toString());
    made.add(judging.basis());
    made.add(hash(kb.answers()));
    List<String> said = new ArrayList<>();
    try {
      said.add(KbFiles.DISK.hash(kb.insights().resolve(DecisionFile.NAME)).orElse(""));
    } catch (IOException e) {
      throw unreadableDecisions(kb, e);
    }
    said.add(hash(kb.insights().resolve(History.NAME)));
    return new Basis(Sha256.of(made), Sha256.of(said));
  }

  private static String hash(Path file) {
    try {
      return KbFiles.DISK.hash(file).orElse("");
    } catch (IOException e) {
      throw new Failure(ExitCode.KB, "cannot read " + file + ": " + Reasons.of(e));
    }
  }

  /** What the user said about the findings of a KB. */
  public static Decisions decisions(Kb kb) {
    try {
      return new DecisionFile(kb.insights()).read();
    } catch (IOException e) {
      throw unreadableDecisions(kb, e);
    }
  }

  /** Writes down what somebody says about findings of a KB. */
  public static void decide(Kb kb, List<Decision> made) {
    try {
      new DecisionFile(kb.insights()).append(made);
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          "cannot write " + kb.insights().resolve(DecisionFile.NAME) + ": " + Reasons.of(e));
    }
  }

  private static Failure unreadableDecisions(Kb kb, IOException e) {
    return new Failure(
        ExitCode.KB,
        "cannot read "
            + kb.insights().resolve(DecisionFile.NAME)
            + ": "
            + Reasons.of(e)
            + ". It holds what you said about findings; make it readable");
  }
}
