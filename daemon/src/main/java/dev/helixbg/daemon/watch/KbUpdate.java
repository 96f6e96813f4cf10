package dev.helixbg.daemon.watch;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.FirstLook;
import dev.helixbg.insight.report.TerminalSummary;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings vectors, report and cursor of one KB up to date, and remembers what that came to. The
 * loop's thread does it, under the KB's lock; {@link KbWatch} says when.
 */
public final class KbUpdate {
  private static final Logger LOG = LoggerFactory.getLogger(KbUpdate.class);

  private final Kb kb;
  private final Pipeline pipeline;
  private final Runnable forgetting;
  private final KbFiles files;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;
  private final String name;
  private final SealedReports reports;

  /** What everything was last done for; null before. */
  private Last last;

  /** What was left for that; null where nothing could be. */
  private KbCursor cursor;

  private boolean again;

  /** Whether the files may still be as the cursor of an earlier process left them. */
  private boolean fresh = true;

  // For status, read by other threads.
  private volatile Instant published;
  private volatile int questions = -1;
  private volatile int passagesLeft;
  private volatile int pairsLeft;
  private volatile Pipeline.Outcome outcome;

  /**
   * @param basis everything else that the report was made from, by content
   * @param vectors as they were left, like the others
   */
  private record Last(
      String logSha256,
      Pipeline.Basis basis,
      List<Optional<FileState>> vectors,
      List<Optional<FileState>> others) {
    static Last of(String logSha256, Pipeline.Basis basis, KbStamp stamp) {
      return new Last(logSha256, basis, stamp.vectors(), stamp.others());
    }
  }

  KbUpdate(
      Kb kb,
      Pipeline pipeline,
      Runnable forgetting,
      KbFiles files,
      SealedReports reports,
      DaemonClock clock,
      DaemonMetrics metrics) {
    this.kb = kb;
    this.pipeline = pipeline;
    this.forgetting = forgetting;
    this.files = files;
    this.clock = clock;
    this.metrics = metrics;
    this.name = kb.folder().toString();
    this.reports = reports;
  }

  /** When the last report was published, if this process did. */
  public Optional<Instant> published() {
    return Optional.ofNullable(published);
  }

  /** What the language model has not been asked yet, −1 before the first reading. */
  public int questions() {
    return questions;
  }

  /**
   * Passages that have no vector yet, so many that the report is a first look: {@link
   * KbWatch#embedPassages} makes it a whole one.
   */
  public int passagesLeft() {
    return passagesLeft;
  }

  /**
   * Pairs that the pair judge has not read yet, so many that the report is a first look: {@link
   * KbWatch#readPairs} has them read.
   */
  public int pairsLeft() {
    return pairsLeft;
  }

  /** What the report was made from; empty when it was made long ago, or not by this process. */
  public Optional<Pipeline.Outcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  void forgetOutcome() {
    outcome = null;
  }

  /** Lets go of what only makes the next update fast. */
  public void forget() {
    forgetting.run();
    forgetOutcome();
  }

  /** Brings everything up to date once more at the next look, so that there is an outcome. */
  public void runAgain() {
    again = true;
  }

  boolean isWantedAgain() {
    return again;
  }

  /**
   * Brings everything up to date.
   *
   * @param saving of new vectors
   * @return whether it was so already: nothing was written, by us or by anybody else meanwhile
   */
  boolean run(KbStamp stamp, LogReading log, KbIdentity here, Saving saving)
      throws IOException, InterruptedException {
    Pipeline.Basis basis = pipeline.basis(kb);
    Last now = Last.of(log.account().sha256(), basis, stamp);
    if (isLeftAs(now) || now.equals(last) && !again) {
      last = now;
      return true;
    }
    again = false;
    Pipeline.Outcome made = pipeline.run(kb, log, saving, Pipeline.GoingOn.NEVER);
    here.check();
    files.publish(kb, made.report(), reports);
    outcome = made;
    questions = made.questions();
    passagesLeft = made.report().firstLook().map(FirstLook::passages).orElse(0);
    pairsLeft = made.report().firstLook().map(FirstLook::pairs).orElse(0);
    made.vectors()
        .rebuilt()
        .ifPresent(reason -> LOG.warn("{}: the vectors were made anew: {}", name, reason));
    if (stamp.withOthers(kb, files).equals(stamp)) {
      cursor = null;
      if (made.report().firstLook().isEmpty()) { // whoever finds a cursor takes all for done
        String summary = TerminalSummary.render(made.report());
        leave(new KbCursor(now.logSha256(), basis, "", questions, summary), stamp);
      }
      last = now;
      return true;
    }
    published = clock.now();
    metrics.reports.increment();
    LOG.info(
        "{}: {} entries, {} texts embedded, {} published",
        name,
        log.account().live(),
        made.vectors().embedded(),
        passagesLeft + pairsLeft == 0
            ? "report"
            : "first look, %d passages and %d pairs left,".formatted(passagesLeft, pairsLeft));
    return false;
  }

  /** Leaves a cursor, unless the files changed while their content was read. */
  private void leave(KbCursor made, KbStamp stamp) {
    cursor = null;
    Optional<String> content = KbCursor.contentOf(kb, reports, files);
    if (content.isPresent() && stamp.withOthers(kb, files).equals(stamp)) {
      cursor = made.with(content.get());
      cursor.write(kb, reports.seal());
    }
  }

  /**
   * Whether an earlier process did everything. Asked once, since it reads every byte: from then on
   * the files' states tell.
   */
  private boolean isLeftAs(Last here) {
    if (!fresh) {
      return false;
    }
    Optional<KbCursor> left = KbCursor.read(kb, reports.seal());
    if (left.isPresent()
        && left.get().basis().equals(here.basis())
        && left.get().holds(here.logSha256(), kb, reports, files)) {
      cursor = left.get();
      questions = cursor.questions();
    }
    fresh = false;
    return cursor != null;
  }

  /**
   * Moves the vectors that wait in the journal to where other programs read them, and leaves all
   * else as it is.
   *
   * @return the state that this leaves; empty when somebody else wrote meanwhile
   */
  Optional<KbStamp> publishVectors(KbStamp stamp, LogReading log)
      throws IOException, InterruptedException {
    pipeline.updateVectors(kb, log, Saving.PUBLISHED, passagesLeft == 0);
    KbStamp published = stamp.withVectors(kb, files);
    pipeline.updateVectors(
        kb, log, Saving.PUBLISHED, passagesLeft == 0); // is what was written what can be read?
    if (!stamp.withVectors(kb, files).equals(published)) {
      return Optional.empty();
    }
    last = Last.of(log.account().sha256(), last.basis(), published);
    if (cursor != null) {
      leave(cursor, published);
    }
    return Optional.of(published);
  }

  /** The same work as a whole, for whoever asks what the last report has found. */
  public OneShotRun oneShotRun() {
    return new OneShotRun(pipeline, reports);
  }
}
