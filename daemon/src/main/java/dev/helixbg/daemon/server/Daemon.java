package dev.helixbg.daemon.server;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.control.ControlServer.ControlLimits;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.service.ServiceErrorLog;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.daemon.watch.DaemonLoop;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairSource;
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

/** The daemon, which keeps the reports on knowledge bases up to date. */
public final class Daemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

  /** Longest wait for running work when the daemon stops. */
  private static final Duration ENDING = Duration.ofSeconds(8);

  /** Subject of logged problems that belong to no KB. */
  private static final String CHORE = "the daemon";

  /** Maximum time between two rounds of {@link #chores}. */
  private static final Duration CHORES = Duration.ofSeconds(30);

  private static final Duration CHORES_WHILE_WORKING = Duration.ofMillis(250);

  // Requests read these fields.
  final KbHost host;
  final TroubleLog troubles;
  final DaemonLoop loop;
  final IdleWork idle;
  final List<KbWatch> watches;
  final Instant startedAt;
  final ControlServer control;

  private final World world;
  private final ProcessLock lock;
  private final DaemonHome home;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Time of the next round of chores, in nanoseconds of the clock; unused before the first. */
  private long choresAt;

  // Values at the last round of chores.
  private boolean worked;
  private long activitySeen = -1;
  private long activeAt;
  private boolean rested;

  /** Parts of a daemon's environment that tests replace. */
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
            settings -> Optional.of(new PairModel(settings.cache(), settings.threads())));
  }

  private Daemon(
      List<Kb> kbs,
      DaemonHome home,
      Settings settings,
      EmbedderSource model,
      World world,
      ProcessLock lock)
      throws IOException {
    this.world = world;
    this.lock = lock;
    this.startedAt = world.clock().now();
    this.host = KbHost.of(settings, model, world.pairs().apply(settings), world.clock(), LOG::warn);
    this.troubles = new TroubleLog(host.metrics(), world.clock());
    this.watches = kbs.stream().map(this::watch).toList();
    this.loop = new DaemonLoop(world.clock(), watches, this::chores);
    this.idle =
        new IdleWork(
            settings, host.embedder(), world.clock(), troubles, host.metrics(), world.machine());
    this.home = home;
    this.control =
        ControlServer.start(
            home.socket(),
            new ControlRequests(this, new KbRequests(host, kbs, loop::lookNow)),
            ControlLimits.USUAL);
  }

  /** Takes the daemon's lock and opens its socket. Fails if another daemon runs. */
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

  private KbWatch watch(Kb kb) {
    IncrementalAnalysis analysis = new IncrementalAnalysis();
    Pipeline pipeline =
        host.pipeline(
            analysis::update,
            Progress.Display.SILENT,
            (_, _, _) -> (texts, _) -> host.metrics().embedded.add(texts),
            warning -> LOG.warn("{}: {}", kb.folder(), warning));
    return new KbWatch(
        kb,
        host.stores(),
        pipeline,
        analysis::forget,
        world.files(),
        world.clock(),
        troubles,
        host.metrics());
  }

  /** Runs until the daemon is stopped or interrupted. The caller must then close the daemon. */
  public void run() throws InterruptedException {
    LOG.info(
        "helix-bg {} watches {}",
        Version.text(),
        String.join(", ", watches.stream().map(watch -> watch.kb().folder().toString()).toList()));
    try {
      loop.run();
    } catch (RuntimeException | Error e) {
      LOG.error("the daemon ends because of an error", e);
      throw e;
    }
  }

  /**
   * If chores are due, or if a log was read or searched since the last round: starts idle work,
   * releases unused models, and shortens the service's error file. A failure is logged, and the
   * next round tries again. Returns the nanoseconds until the next round.
   */
  private long chores() throws InterruptedException {
    long now = host.clock().nanos();
    if (now - choresAt < 0 && activity() == activitySeen) {
      return choresAt - now;
    }
    long wait = roundOfChores();
    choresAt = host.clock().nanos() + wait;
    return wait;
  }

  private long roundOfChores() throws InterruptedException {
    try {
      long wait = doChores();
      troubles.over(CHORE);
      return wait;
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      troubles.met(CHORE, e);
      if (e instanceof Error) { // memory may be short, so indexes and analyses are released
        forget();
      }
      return CHORES.toNanos();
    }
  }

  private long doChores() throws InterruptedException {
    ServiceErrorLog.shorten(home.serviceErrors());
    boolean working = idle.consider(watches);
    if (releaseModels() | (worked && !working)) {
      OperatingSystem.giveBackMemory();
      LOG.debug("unused memory was returned to the system");
    }
    worked = working;
    if (working) {
      loop.lookNext(); // so that a changed log stops idle work within a second
    }
    return (working ? CHORES_WHILE_WORKING : CHORES).toNanos();
  }

  /**
   * Releases unused models. After a long idle time, also releases the indexes of searches, and
   * memory that updates keep. Returns whether it released anything.
   */
  private boolean releaseModels() {
    boolean released = host.releaseUnused();
    long activity = activity();
    if (activity != activitySeen || idle.isRunning()) {
      activitySeen = activity;
      activeAt = host.clock().nanos();
      rested = false;
    }
    boolean rests =
        host.settings()
            .daemon()
            .embedderIdle()
            .filter(least -> host.clock().nanos() - activeAt >= least.toNanos())
            .isPresent();
    if (rests && !rested && !host.embedder().isLoaded()) {
      rested = true;
      forget();
      return true;
    }
    return released;
  }

  /** Returns the number of readings of logs, and of searches, since the daemon started. */
  private long activity() {
    DaemonMetrics metrics = host.metrics();
    return metrics.readings.sum() + metrics.searches.sum();
  }

  private void forget() {
    host.searches().forgetAll();
    watches.forEach(watch -> watch.update().forget());
  }

  /** Stops the daemon. Returns whether it has ended completely; if not, it ends soon. */
  boolean stop() {
    loop.stop();
    long deadline = System.nanoTime() + ENDING.toNanos();
    while (true) {
      try {
        return closed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        LOG.debug(
            "the request to stop the daemon is cancelled like all requests, but still waits until"
                + " the daemon has ended");
      }
    }
  }

  /** Closes all parts; the control socket last, because it still answers the stop request. */
  @Override
  public void close() {
    close(control::refuse);
    close(idle);
    close(host);
    close(lock);
    LOG.info("stopped");
    closed.countDown();
    close(control);
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Throwable e) {
      LOG.warn("a part of the daemon was not closed", e);
    }
  }
}
