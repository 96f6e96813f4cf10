package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.SecretCheck;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import dev.helixbg.insight.sources.IndexLines;
import dev.helixbg.insight.sources.SourceCheck;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One run over one knowledge base: log, vectors, findings, readings of pairs, judgements, report.
 *
 * @param newest time in which the newest entries are embedded before a first look (an early report)
 */
public record Pipeline(
    Settings settings,
    EmbedderSource embedder,
    Analyst analyst,
    RerankingStage reading,
    JudgingStage judging,
    Progress.Display display,
    SourceCheck sources,
    Duration newest) {
  private static final Duration NEWEST = Duration.ofSeconds(10);

  public Pipeline(
      Settings settings,
      EmbedderSource embedder,
      Analyst analyst,
      RerankingStage reading,
      JudgingStage judging,
      Progress.Display display) {
    this(
        settings,
        embedder,
        analyst,
        reading,
        judging,
        display,
        new SourceCheck(settings.sources(), ZoneId.systemDefault()),
        NEWEST);
  }

  /** Computes findings, either for one run or repeatedly for a KB that changes. */
  public interface Analyst {
    Findings analyse(
        List<NamedEntry> entries, Vectors vectors, PassageVectors passages, int threads);
  }

  /** An early report is made if at least this many passages must be embedded (a few seconds). */
  static final int MANY_PASSAGES = 512;

  /** An early report is made if at least this many pairs are unread. */
  static final int MANY_PAIRS = 128;

  /** An early report is made if at least this many questions are open. */
  static final int MANY_QUESTIONS = 32;

  public record Outcome(Report report, EmbeddingStage.Result vectors) {
    /** Returns the number of open questions for the language model; answers may lead to more. */
    public int questions() {
      return report.judgements().questionsLeft();
    }
  }

  /** Makes an early report, marked as such. */
  public interface FirstLookMaker {
    Outcome take() throws InterruptedException;
  }

  public interface FirstLooks {
    void look(FirstLookMaker known) throws InterruptedException;
  }

  /**
   * Runs all stages. Before a long stage, offers {@code looks} a first look (an early report). The
   * embedding of passages and the reading of pairs share one first look. If the KB has no complete
   * report yet, the newest entries may get a first look of their own.
   *
   * @throws InterruptedException when interrupted; the vectors and answers until then are saved
   */
  public Outcome run(KbStore kb, LogReading log, FirstLooks looks) throws InterruptedException {
    EmbeddingStage.Result vectors;
    boolean looked = false;
    try (EmbeddingStage stages = embedding(kb, log)) {
      // a first look at the newest entries would replace a complete report
      boolean isFirst = kb.report().origin().filter(last -> last.firstLook().isEmpty()).isEmpty();
      if (isFirst && !stages.embedNewest(newest)) {
        offer(looks, () -> remembered(findings(kb, stages.result())));
      }
      stages.embedEntries();
      if (stages.passagesLeft() >= MANY_PASSAGES) {
        offer(looks, () -> remembered(findings(kb, stages.result())));
        looked = true;
      }
      stages.embedPassages();
      vectors = stages.result();
      stages.keepLayout(log.account().sha256());
    }
    System.gc(); // frees the vectors of the stage; the result has copies of them
    KbFindings seen = findings(kb, vectors);
    if (!looked && reading.left(kb, seen.open) >= MANY_PAIRS) {
      offer(looks, () -> remembered(seen));
    }
    KbFindings found = seen.read(reading.run(kb, seen.open));
    if (judging.mayAsk()) {
      Outcome known = remembered(found);
      if (known.questions() >= MANY_QUESTIONS) {
        offer(looks, () -> known);
      }
    }
    return new Outcome(report(found, judging.run(subject(found)), Optional.empty()), vectors);
  }

  private EmbeddingStage embedding(KbStore kb, LogReading log) {
    return new EmbeddingStage(kb.database(), embedder, display, log);
  }

  /** Offers a first look. Before and after it, frees garbage (470 MB with 100,000 entries). */
  private static void offer(FirstLooks looks, FirstLookMaker known) throws InterruptedException {
    System.gc();
    looks.look(known);
    System.gc();
  }

  /**
   * Findings from vectors and words; {@code open} has the findings that the user has not settled.
   */
  private record KbFindings(
      KbStore kb,
      EmbeddingStage.Result vectors,
      List<Finding.Secret> secrets,
      Findings all,
      Findings open) {
    KbFindings read(Findings pairs) {
      return new KbFindings(kb, vectors, secrets, all, pairs);
    }
  }

  private KbFindings findings(KbStore kb, EmbeddingStage.Result vectors) {
    KbEntries known = vectors.entries();
    List<Finding.Secret> secrets = SecretCheck.of(known.named());
    Findings all =
        analyst.analyse(known.named(), known.vectors(), known.passages(), settings.threads());
    Decisions decisions =
        decisions(
            kb,
            known.log(),
            Stream.concat(all.listed(), secrets.stream()).map(Finding::id).toList());
    return new KbFindings(
        kb,
        vectors,
        secrets.stream().filter(one -> decisions.on(one.id()).isEmpty()).toList(),
        all,
        decisions.applyTo(all));
  }

  /**
   * Returns the decisions. First withdraws each decision <i>done</i> on a finding that the present
   * log still has.
   */
  private static Decisions decisions(KbStore kb, LogAccount log, List<String> found) {
    Decisions decisions = kb.decisions().read();
    List<Decision> back = found.stream().flatMap(id -> decisions.returned(id).stream()).toList();
    // The finding may have been acted on since the log was read.
    if (back.isEmpty()
        || !DataLog.read(kb.kb().dataLog()).account().sha256().equals(log.sha256())) {
      return decisions;
    }
    kb.decisions().add(back);
    return kb.decisions().read();
  }

  private JudgingStage.Subject subject(KbFindings found) {
    return new JudgingStage.Subject(
        found.kb, found.open, found.vectors.entries().vectors().rows(), embedder);
  }

  /** Returns an early report, made from stored readings and answers. */
  private Outcome remembered(KbFindings seen) throws InterruptedException {
    KbFindings found = seen.read(reading.remembered(seen.kb, seen.open));
    Judgements judgements = JudgingStage.withoutAsking(settings).run(subject(found));
    int embedded = found.vectors.entries().named().size();
    Coverage coverage = found.vectors.entries().coverage();
    return new Outcome(
        report(
            found,
            judgements,
            Optional.of(
                new FirstLook(
                    coverage.total() - embedded,
                    embedded - coverage.indexed(),
                    found.vectors.passagesLeft(),
                    reading.left(found.kb, found.open),
                    judging.mayAsk() ? judgements.questionsLeft() : 0))),
        found.vectors);
  }

  private Report report(KbFindings found, Judgements judged, Optional<FirstLook> firstLook)
      throws InterruptedException {
    int first = Findings.shownRelations(found.open.entries().size());
    Findings open =
        found.open.with(AgentAnswers.ranked(found.open.relations(), judged.agents(), first));
    Optional<Report.NotesFolder> notes = ofNotes(found.kb.kb());
    SourceCheck.SourceCheckResult moved =
        sources
            .of(found.all.entries())
            .with(
                notes
                    .map(one -> IndexLines.of(one.account(), found.all.entries()))
                    .orElse(List.of()));
    List<String> more = new ArrayList<>();
    moved.moved().forEach(one -> more.add(one.id()));
    judged.merges().forEach(one -> more.add(one.id()));
    judged.lessons().all().forEach(one -> more.add(one.id()));
    LogAccount log = found.vectors.entries().log();
    Decisions decisions = decisions(found.kb, log, more);
    return new Report(
        open,
        log,
        new Report.Run(Version.text(), embedder.describe()),
        judged.without(id -> decisions.on(id).isPresent()),
        firstLook,
        moved.without(one -> decisions.on(one.id()).isPresent()),
        found.secrets,
        notes);
  }

  private Optional<Report.NotesFolder> ofNotes(Kb kb) {
    return NotesKb.of(kb, settings)
        .flatMap(
            found ->
                found
                    .account()
                    .map(made -> new Report.NotesFolder(found.name(), found.again(), made)));
  }

  public ReportBasis basis(KbStore kb) {
    List<String> made = new ArrayList<>();
    made.add(Version.text());
    made.add(embedder.id());
    made.add(embedder.describe());
    made.add(settings.llm().toString());
    made.add(reading.basis());
    made.add(judging.basis(embedder));
    made.add("answers " + kb.answers().version());
    made.add(SourceCheck.state(settings.sources()));
    made.add(NotesKb.of(kb.kb(), settings).map(NotesKb::made).toString());
    return new ReportBasis(
        Sha256.of(made), kb.decisions().version() + " " + kb.agentAnswers().version());
  }

  /**
   * Returns the basis of a report whose run began with the basis {@code before}. The report
   * includes answers given during the run, but no decisions made during the run.
   */
  public ReportBasis basisAfter(KbStore kb, ReportBasis before) {
    return judging.mayAsk() ? new ReportBasis(basis(kb).made(), before.decided()) : before;
  }
}
