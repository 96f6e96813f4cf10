package dev.helixbg.daemon;

import dev.helixbg.config.ConfigException;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlLimits;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.insight.findings.RunningAnalysis;
import dev.helixbg.insight.log.DataLogException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All parts of the daemon wired together, and its life from start to end. */
final class Daemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

  /** The chores are asked at least so often. */
  private static final Duration CHORES = Duration.ofSeconds(30);

  private static final Duration CHORES_WHILE_WORKING = Duration.ofMillis(250);

  private final List<Kb> kbs;
  private final DaemonHome home;
  private final Supplier<Settings> settings;
  private final Function<Settings, EmbedderSource> models;
  private final DaemonClock clock = DaemonClock.SYSTEM;
  private final DaemonMetrics metrics = new DaemonMetrics(clock);
  private final Troubles troubles = new Troubles(metrics);
  private final DaemonLoop loop = new DaemonLoop(clock, this::chores);
  private final SearchService searches;
  private final KbFiles.Lock lock;
  private final FolderHints hints = new FolderHints(this::hint);
  private final ControlServer control;
  private final Instant startedAt = Instant.now();
  private volatile Parts parts;
  private volatile boolean reload;
  private long reportsAtLastAcross = -1;
  private long reportsSeen;

  /** Times that idle work has ended, which may leave much memory to give back. */
  private long timesWorked;

  private boolean worked;

  private long activitySeen = -1;
  private long activeAt;
  private boolean rested;

  /** What is made anew when the settings are read again. */
  record Parts(
      Settings settings,
      EmbedderHost embedder,
      TextModelHost model,
      Reviews reviews,
      IdleWork idle,
      List<KbWatch> watches) {}

  private Daemon(
      List<Kb> kbs,
      DaemonHome home,
      Supplier<Settings> settings,
      Function<Settings, EmbedderSource> models,
      KbFiles.Lock lock)
      throws IOException {
    this.kbs = List.copyOf(kbs);
    this.home = home;
    this.settings = settings;
    this.models = models;
    this.lock = lock;
    this.parts = make(settings.get());
    this.searches = new SearchService(() -> parts.embedder(), metrics);
    loop.watch(parts.watches());
    this.control =
        ControlServer.start(home.socket(), new ControlRequests(this), ControlLimits.USUAL);
  }

  /**
   * Takes the lock and opens the socket.
   *
   * @param settings reads them, at the start and at each reload
   * @param models leads to the embedding model of some settings
   * @throws Failure {@link ExitCode#BUSY} when another daemon runs
   */
  static Daemon start(
      List<Kb> kbs,
      DaemonHome home,
      Supplier<Settings> settings,
      Function<Settings, EmbedderSource> models) {
    KbFiles.Lock lock = home.lock();
    try {
      return new Daemon(kbs, home, settings, models, lock);
    } catch (IOException e) {
      lock.close();
      throw new Failure(
          ExitCode.WRITE, "cannot open the socket " + home.socket() + ": " + Reasons.of(e));
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private Parts make(Settings now) {
    EmbedderSource source = models.apply(now);
    EmbedderHost embedder = new EmbedderHost(source, clock);
    TextModelHost model = new TextModelHost(now, clock, metrics);
    Reviews reviews = new Reviews(now, source.id());
    IdleQuestions questions = new IdleQuestions(now, model, clock, metrics);
    IdleWork idle =
        new IdleWork(now, model, reviews, questions, clock, troubles, IdleWork.Machine.THIS);
    List<KbWatch> watches = kbs.stream().map(kb -> watch(kb, now, embedder)).toList();
    return new Parts(now, embedder, model, reviews, idle, watches);
  }

  private KbWatch watch(Kb kb, Settings now, EmbedderSource embedder) {
    RunningAnalysis analysis = new RunningAnalysis();
    Pipeline pipeline =
        new Pipeline(
            now,
            embedder,
            analysis::update,
            Judging.withoutAsking(now),
            metrics.countingEmbedded());
    return new KbWatch(
        kb,
        pipeline,
        analysis::forget,
        now.daemon(),
        KbFiles.DISK,
        FolderHints.areThere() ? hints : LogHints.NONE,
        clock,
        troubles,
        metrics);
  }

  /**
   * Runs until it is stopped.
   *
   * @throws InterruptedException when interrupted, after which it is still to be closed
   */
  void run() throws InterruptedException {
    LOG.info(
        "helix-bg {} watches {}",
        Version.text(),
        String.join(", ", kbs.stream().map(kb -> kb.folder().toString()).toList()));
    loop.run();
  }

  private void hint(Kb kb) {
    metrics.hints.increment();
    loop.hint(kb);
  }

  private long chores(boolean ticked) throws InterruptedException {
    if (reload) {
      reload = false;
      reloadSettings();
    }
    long reports = metrics.reports.sum();
    if (reports != reportsSeen) {
      reportsSeen = reports;
      searches.forgetAll();
    }
    reportAcross(reports);
    boolean working = parts.idle().consider(parts.watches(), loop.isPaused());
    if (worked && !working) {
      timesWorked++;
    }
    worked = working;
    releaseModels();
    if (working) {
      loop.lookNext(); // a change is to interrupt it within a second
    }
    return (working ? CHORES_WHILE_WORKING : CHORES).toNanos();
  }

  private void reloadSettings() {
    try {
      Parts old = parts;
      parts = make(settings.get());
      loop.watch(parts.watches());
      searches.forgetAll();
      old.idle().close();
      old.model().close();
      old.embedder().close();
      troubles.over("settings");
      LOG.info("settings were read again");
    } catch (ConfigException | EmbeddingException e) {
      troubles.met("settings", e.getMessage() + "; going on with those from before");
    }
  }

  private void reportAcross(long reports) {
    boolean ready =
        parts.settings().daemon().across()
            && kbs.size() > 1
            && parts.watches().stream().noneMatch(watch -> watch.upToDateWith().isEmpty());
    if (!ready || reports == reportsAtLastAcross) {
      return;
    }
    reportsAtLastAcross = reports;
    try {
      ReportFolder.in(home.across())
          .write(AcrossReport.of(kbs, parts.embedder(), parts.settings()));
      troubles.over("across");
    } catch (Failure | DataLogException e) {
      troubles.met("across", e.getMessage());
    }
  }

  /** Once nothing was done for long enough, everything goes that only makes the next work fast. */
  private void releaseModels() {
    Optional<Duration> idle = parts.settings().daemon().embedderIdle();
    boolean released = parts.embedder().releaseAfter(idle);
    released |= parts.model().releaseAfter(parts.settings().daemon().modelIdle());
    long activity =
        metrics.readings.sum()
            + metrics.searches.sum()
            + metrics.reviews.sum()
            + metrics.modelNanos.sum()
            + timesWorked;
    if (activity != activitySeen || parts.idle().isRunning()) {
      activitySeen = activity;
      activeAt = clock.nanos();
      rested = false;
    }
    boolean rests = !rested && idle.isPresent() && clock.nanos() - activeAt >= idle.get().toNanos();
    if (rests && !parts.embedder().isLoaded()) {
      rested = true;
      released = true;
      searches.forgetAll();
      parts.watches().forEach(KbWatch::forget);
    }
    if (released) {
      NativeMemory.giveBack();
      LOG.debug("memory was given back");
    }
  }

  Parts parts() {
    return parts;
  }

  DaemonLoop loop() {
    return loop;
  }

  DaemonMetrics metrics() {
    return metrics;
  }

  SearchService searches() {
    return searches;
  }

  Instant startedAt() {
    return startedAt;
  }

  Instant now() {
    return clock.now();
  }

  int clients() {
    return control.clients();
  }

  /** Lets the loop read the settings again. */
  void reload() {
    reload = true;
    loop.wakeUp();
  }

  /** Lets go of everything; files are whole at any moment. */
  @Override
  public void close() {
    try {
      parts.idle().close();
      control.close();
    } catch (IOException e) {
      LOG.debug("the socket was not removed", e);
    }
    searches.close();
    hints.close();
    parts.embedder().close();
    parts.model().close();
    lock.close();
    LOG.info("stopped");
  }
}
