package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.SecretCheck;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
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

/**
 * One run over one knowledge base, in reading order: log, vectors, findings, pairs read,
 * judgements, report.
 *
 * @param newest time of embedding after which the entries that have vectors are looked at
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

  /** With the folders of sources that the settings name. */
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

  /** Finds what is worth telling: once, or again and again for a KB that changes. */
  public interface Analyst {
    /**
     * @see dev.helixbg.insight.findings.Analysis#run
     */
    Findings analyse(
        List<NamedEntry> entries, Vectors vectors, PassageVectors passages, int threads);
  }

  /** Passages of which it is worth a report of its own to have them later: some seconds of work. */
  static final int MANY_PASSAGES = 512;

  /** Pairs of which it is worth a report of its own to have them read later. */
  static final int MANY_PAIRS = 128;

  /** Questions of which it is worth a report of its own to have their answers later. */
  static final int MANY_QUESTIONS = 32;

  /**
   * @param report what was found
   * @param vectors how the vectors came about
   */
  public record Outcome(Report report, EmbeddingStage.Result vectors) {

    /**
     * Questions that the language model has not been asked yet; those that follow are not known.
     */
    public int questions() {
      return report.judgements().questionsLeft();
    }
  }

  /** Makes a first look before a long stage of a run, when it is asked for. */
  @FunctionalInterface
  public interface FirstLookMaker {
    /** With a report that is marked as a first look. */
    Outcome take() throws InterruptedException;
  }

  /** Receives first looks, and decides whether a run goes on. */
  @FunctionalInterface
  public interface GoingOn {
    /** Whether a run goes on with a stage that takes long, or has done enough. */
    boolean goesOn(FirstLookMaker known) throws InterruptedException;

    /** Hears of a look at the newest entries alone, after which a run always goes on. */
    default void look(FirstLookMaker newest) throws InterruptedException {
      goesOn(newest);
    }
  }

  /**
   * Runs stage by stage: vectors of the entries, vectors of passages, pairs read, questions to the
   * language model. Before a stage that takes long there is a report worth reading.
   *
   * @param log of that KB, just read
   * @param goingOn is asked before each stage that takes long
   * @return a first look where the run did not go on
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
   */
  public Outcome run(KbStore kb, LogReading log, GoingOn goingOn) throws InterruptedException {
    EmbeddingStage.Result vectors;
    boolean looked = false;
    try (EmbeddingStage stages = embedding(kb, log)) {
      if (isFirst(kb) && !stages.embedNewest(newest)) {
        goingOn.look(() -> remembered(findings(kb, log, stages.result())));
      }
      stages.embedEntries();
      if (stages.passagesLeft() >= MANY_PASSAGES) {
        FirstLookMaker known = () -> remembered(findings(kb, log, stages.result()));
        if (!goesOn(goingOn, known)) {
          return known.take();
        }
        looked = true;
      }
      stages.embedPassages();
      vectors = stages.result();
    }
    KbFindings seen = findings(kb, log, vectors);
    if (!looked && reading.left(kb, seen.open) >= MANY_PAIRS) {
      FirstLookMaker known = () -> remembered(seen);
      if (!goesOn(goingOn, known)) {
        return known.take();
      }
    }
    KbFindings found = seen.read(reading.run(kb, seen.open));
    if (judging.mayAsk()) {
      Outcome known = remembered(found);
      if (known.questions() >= MANY_QUESTIONS && !goesOn(goingOn, () -> known)) {
        return known;
      }
    }
    return new Outcome(report(found, judging.run(subject(found))), vectors);
  }

  /** Whether the KB has no whole report, so that a look at the newest entries replaces none. */
  private static boolean isFirst(KbStore kb) {
    return kb.report().origin().filter(last -> last.firstLook().isEmpty()).isEmpty();
  }

  private EmbeddingStage embedding(KbStore kb, LogReading log) {
    return new EmbeddingStage(kb.database(), embedder, display, log.entries());
  }

  /**
   * Asks whether to go on, and has garbage collected before and after. The analysis and a large
   * report leave theirs in the old generation. Without a collection the heap would first grow by
   * all of it, and by that of the next report.
   */
  private static boolean goesOn(GoingOn goingOn, FirstLookMaker known) throws InterruptedException {
    System.gc();
    if (!goingOn.goesOn(known)) {
      return false;
    }
    System.gc();
    return true;
  }

  /**
   * What vectors and words tell, before a model or a reader judges it.
   *
   * @param all of which the open ones are those that were not decided upon
   */
  private record KbFindings(
      KbStore kb,
      LogReading log,
      EmbeddingStage.Result vectors,
      Decisions decisions,
      List<Finding.Secret> secrets,
      Findings all,
      Findings open) {
    KbFindings read(Findings pairs) {
      return new KbFindings(kb, log, vectors, decisions, secrets, all, pairs);
    }
  }

  private KbFindings findings(KbStore kb, LogReading log, EmbeddingStage.Result vectors) {
    Decisions decisions = kb.decisions().read();
    KbEntries known = vectors.of(log);
    List<Finding.Secret> secrets = SecretCheck.of(known.named());
    Findings all =
        analyst.analyse(known.named(), known.vectors(), known.passages(), settings.threads());
    return new KbFindings(
        kb,
        log,
        vectors,
        decisions,
        secrets.stream().filter(one -> !decisions.isSettled(one.aliases())).toList(),
        all,
        decisions.applyTo(all));
  }

  private JudgingStage.Subject subject(KbFindings found) {
    return new JudgingStage.Subject(found.kb, found.open, found.vectors.vectors(), embedder);
  }

  /** A first look: nothing is read, and the model is asked nothing. */
  private Outcome remembered(KbFindings seen) throws InterruptedException {
    KbFindings found = seen.read(reading.remembered(seen.kb, seen.open));
    Judgements judgements = JudgingStage.withoutAsking(settings).run(subject(found));
    return new Outcome(
        report(found, judgements)
            .asFirstLook(
                new FirstLook(
                    found.vectors.unread(),
                    found.vectors.vectors().size() - found.vectors.whole(),
                    found.vectors.passagesLeft(),
                    reading.left(found.kb, found.open),
                    judging.mayAsk() ? judgements.questionsLeft() : 0)),
        found.vectors);
  }

  private Report report(KbFindings found, Judgements judged) throws InterruptedException {
    int first = Findings.shownRelations(found.open.entries().size());
    Findings open =
        found.open.with(AgentAnswers.ranked(found.open.relations(), judged.agents(), first));
    Decisions decisions = found.decisions;
    Optional<Report.NotesFolder> notes = ofNotes(found.kb.kb());
    return new Report(
            open,
            found.log.account(),
            new Report.Run(Version.text(), embedder.describe()),
            judged.without(id -> decisions.on(id).isPresent()))
        .with(
            sources
                .of(found.all.entries())
                .with(
                    notes
                        .map(one -> IndexLines.of(one.account(), found.all.entries()))
                        .orElse(List.of()))
                .without(moved -> decisions.isSettled(moved.aliases())),
            found.secrets,
            notes);
  }

  private Optional<Report.NotesFolder> ofNotes(Kb kb) {
    return NotesKb.of(kb, settings)
        .flatMap(
            found -> found.account().map(account -> new Report.NotesFolder(found.name(), account)));
  }

  /** Has pairs read that a first look left out; the readings are saved, and nothing else. */
  public void readPairs(KbStore kb, Findings findings) throws InterruptedException {
    reading.run(kb, findings);
  }

  /**
   * The vectors alone, brought up to date.
   *
   * @param ofPassages whether those of passages, too, are embedded where they are missing
   */
  public EmbeddingStage.Result updateVectors(KbStore kb, LogReading log, boolean ofPassages)
      throws InterruptedException {
    try (EmbeddingStage stages = embedding(kb, log)) {
      stages.embedEntries();
      if (ofPassages) {
        stages.embedPassages();
      }
      return stages.result();
    }
  }

  /** Puts the vectors of a log's entries where other programs read them. */
  public static void publishVectors(KbStore kb, LogReading log, EmbeddingStage.Result made) {
    List<Long> offsets = log.entries().stream().map(Entry::offset).toList();
    kb.outputs().publishVectors(offsets, made.vectors(), log.account().sha256());
  }

  /** Everything but the log that a report is made from, as it is now. */
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
    made.add(ofNotes(kb.kb()).toString());
    return new ReportBasis(
        Sha256.of(made), kb.decisions().version() + " " + kb.agentAnswers().version());
  }
}
