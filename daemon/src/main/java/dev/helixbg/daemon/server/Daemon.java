package dev.helixbg.daemon.server;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.control.ControlServer.ControlLimits;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderHost;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.host.PairHost;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.idle.IdleQuestions;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.daemon.search.SearchService;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.daemon.watch.DaemonLoop;
import dev.helixbg.daemon.watch.InotifyWatcher;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.daemon.watch.KbWatch.ChangeHints;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.findings.IncrementalAnalysis;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All parts of the daemon wired together, and its life from start to end. */
public final class Daemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

  /** Longest wait for running work when the daemon is to stop or pause. */
  private static final Duration ENDING = Duration.ofSeconds(8);

  // Requests look at these.
  final DaemonClock clock;
  final DaemonMetrics metrics;
  final DaemonLoop loop;
  final Instant startedAt;
  final ControlServer control;
  final Parts parts;

  private final List<Kb> kbs;
  private final World world;
  private final TroubleLog troubles;
  private final SearchService searches;
  private final ProcessLock lock;
  private final InotifyWatcher hints = new InotifyWatcher(this::hint);
  private final DaemonChores chores;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * What surrounds a daemon; a seam for tests.
   *
   * @param pairs leads to the pair judge of some settings, if there is one
   */
  public record World(
      DaemonClock clock,
      KbFiles files,
      IdleWork.Machine machine,
      Function<Settings, Optional<PairSource>> pairs) {
    public static final World REAL =
        new World(
            DaemonClock.SYSTEM,
            KbFiles.DISK,
            IdleWork.Machine.THIS,
            settings -> Optional.of(PairSource.located(settings)));
  }

  /** Parts of the daemon that do its work. */
  record Parts(
      Settings settings,
      EmbedderHost embedder,
      Optional<PairHost> pairs,
      LanguageModelHost model,
      VectorIds ids,
      KbStores stores,
      IdleWork idle,
      List<KbWatch> watches) {}

  private Daemon(
      List<Kb> kbs,
      DaemonHome home,
      Settings settings,
      EmbedderSource model,
      World world,
      ProcessLock lock)
      throws IOException {
    this.kbs = List.copyOf(kbs);
    this.world = world;
    this.lock = lock;
    this.clock = world.clock();
    this.startedAt = clock.now();
    this.metrics = new DaemonMetrics(clock);
    this.troubles = new TroubleLog(metrics);
    this.loop = new DaemonLoop(clock, this::chores);
    this.parts = make(settings, model);
    this.searches = new SearchService(parts::embedder, parts.stores()::of, metrics);
    this.chores = new DaemonChores(home, clock, metrics, troubles, loop, searches);
    loop.watch(parts.watches());
    this.control =
        ControlServer.start(home.socket(), new ControlRequests(this), ControlLimits.USUAL);
  }

  /**
   * Takes the lock and opens the socket.
   *
   * @param model leads to the embedding model
   * @throws Failure {@link ExitCode#BUSY} when another daemon runs
   */
  public static Daemon start(
      List<Kb> kbs, DaemonHome home, Settings settings, EmbedderSource model, World world) {
    ProcessLock lock = home.lock();
    try {
      return new Daemon(kbs, home, settings, model, world, lock);
    } catch (IOException e) {
      lock.close();
      throw Failure.io(ExitCode.WRITE, "open the socket " + home.socket(), e);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private Parts make(Settings now, EmbedderSource source) {
    EmbedderHost embedder = new EmbedderHost(source, clock);
    LanguageModelHost model = new LanguageModelHost(now, clock, metrics);
    IdleQuestions questions = new IdleQuestions(now, model, clock, embedder);
    IdleWork idle = new IdleWork(now, model, questions, clock, troubles, world.machine());
    Optional<PairHost> pairs = world.pairs().apply(now).map(judge -> new PairHost(judge, clock));
    KbStores stores = new KbStores(now, LOG::warn);
    List<KbWatch> watches =
        kbs.stream().map(kb -> watch(kb, stores, now, embedder, pairs)).toList();
    return new Parts(now, embedder, pairs, model, source.ids(), stores, idle, watches);
  }

  private KbWatch watch(
      Kb kb, KbStores stores, Settings now, EmbedderSource embedder, Optional<PairHost> pairs) {
    IncrementalAnalysis analysis = new IncrementalAnalysis();
    Pipeline pipeline =
        new Pipeline(
            now,
            embedder,
            analysis::update,
            new RerankingStage(
                pairs,
                Progress.Display.SILENT,
                warning -> LOG.warn("{}: {}", kb.folder(), warning)),
            JudgingStage.withoutAsking(now),
            metrics.countingEmbedded());
    return new KbWatch(
        kb,
        stores,
        pipeline,
        analysis::forget,
        world.files(),
        InotifyWatcher.areThere() ? hints : ChangeHints.NONE,
        clock,
        troubles,
        metrics);
  }

  /**
   * Runs until it is stopped.
   *
   * @throws InterruptedException when interrupted, after which it is still to be closed
   */
  public void run() throws InterruptedException {
    LOG.info(
        "helix-bg {} watches {}",
        Version.text(),
        String.join(", ", kbs.stream().map(kb -> kb.folder().toString()).toList()));
    try {
      loop.run();
    } catch (RuntimeException | Error e) {
      LOG.error("the daemon ends, since it cannot go on", e);
      throw e;
    }
  }

  private void hint(Kb kb) {
    loop.hint(kb);
  }

  private long chores() throws InterruptedException {
    return chores.run(parts);
  }

  /** State from which requests are answered. */
  KbRequests.Held held() {
    return new KbRequests.Held(
        kbs, parts.stores(), parts.settings(), searches, parts.model(), parts.ids(), parts.pairs());
  }

  /**
   * Lets it do nothing but answer.
   *
   * @return whether everything that was under way has ended; else it does so soon
   */
  boolean pause() throws InterruptedException {
    long deadline = System.nanoTime() + ENDING.toNanos();
    if (!loop.pause(ENDING)) {
      return false;
    }
    while (parts.idle().current().isPresent()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      Thread.sleep(10);
    }
    return true;
  }

  /**
   * Ends it.
   *
   * @return whether everything has ended and is released; else it does so soon
   */
  boolean stop() {
    loop.stop();
    long deadline = System.nanoTime() + ENDING.toNanos();
    while (true) {
      try {
        return closed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        LOG.debug(
            "a client that stops the daemon waits for its end, though all requests are called off");
      }
    }
  }

  /** Lets go of everything; files are whole at any moment. Who asked for the end is told last. */
  @Override
  public void close() {
    close(control::refuse);
    close(parts.idle());
    close(searches);
    close(hints);
    close(parts.embedder());
    parts.pairs().ifPresent(Daemon::close);
    close(parts.model());
    close(parts.stores());
    close(lock);
    LOG.info("stopped");
    closed.countDown();
    close(control);
  }

  /** Whatever goes wrong, the others are to be closed as well. */
  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Throwable e) {
      LOG.warn("a part of the daemon was not closed", e);
    }
  }
}
