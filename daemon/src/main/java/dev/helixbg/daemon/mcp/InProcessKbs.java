package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.kb.ReportBasis;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.server.KbRequests;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.store.ProcessLock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests in this process if no daemon watches the KB. If a log has changed, updates
 * vectors and report first, without the language model. Stores decisions at once, but updates the
 * report for them only after a pause without requests.
 */
final class InProcessKbs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InProcessKbs.class);
  private static final Duration CHORES = Duration.ofSeconds(30);

  private static final Set<String> EMBEDDING = Set.of("search", "related");

  /**
   * Requests about findings. New answers of agents change the order of the findings, so the report
   * is updated with them before such a request.
   */
  private static final Set<String> LISTING = Set.of("findings", "finding", "act");

  private final KbHost host;
  private final Pipeline.Analyst analyst;
  private final CopyOnWriteArraySet<Kb> kbs = new CopyOnWriteArraySet<>();
  private final KbRequests requests;
  private final ScheduledExecutorService chores;

  /** State of each KB after its last complete run. A thread locks this map during a run. */
  private final Map<Kb, UpToDate> upToDate = new ConcurrentHashMap<>();

  private record UpToDate(Optional<FileState> log, Optional<LastReport.Origin> report) {}

  /** Reason why a KB could not be brought up to date. */
  private final Map<Kb, String> troubles = new ConcurrentHashMap<>();

  /** Whether a report may lack decisions, and must be updated. */
  private volatile boolean due;

  /** KBs for which an agent has answered questions since the last list of findings. */
  private final Set<Kb> answered = ConcurrentHashMap.newKeySet();

  private volatile long lastAsked = System.nanoTime();

  InProcessKbs(KbHost host, Pipeline.Analyst analyst) {
    this.host = host;
    this.analyst = analyst;
    this.requests = new KbRequests(host, kbs, () -> due = true);
    this.chores =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("mcp-chores").factory());
    long every = CHORES.toNanos();
    chores.scheduleWithFixedDelay(this::doChores, every, every, TimeUnit.NANOSECONDS);
  }

  List<JsonNode> ask(Kb kb, ObjectNode request, Progress.Display progress)
      throws InterruptedException {
    kbs.add(kb);
    lastAsked = System.nanoTime();
    String wanted = request.path("do").asText();
    if (EMBEDDING.contains(wanted) && !(host.embedder().isLoaded() && upToDate.containsKey(kb))) {
      host.searches().prepare(kb); // runs in parallel with the next line
    }
    bringUpToDate(kb, LISTING.contains(wanted) && answered.remove(kb), progress);
    List<ObjectNode> lines = requests.answerAsRead(request);
    if (wanted.equals("answers")) {
      answered.add(kb);
    }
    String trouble = troubles.get(kb);
    for (JsonNode line : lines) {
      if (trouble != null
          && line.path("coverage") instanceof ObjectNode coverage
          && !SearchAnswer.coverage(line).isWhole()) {
        coverage.put("why", trouble);
      }
    }
    return List.copyOf(lines);
  }

  /**
   * Updates vectors and report if the log or the report has changed. If {@code whole}, updates them
   * also if the report lacks decisions.
   */
  private void bringUpToDate(Kb kb, boolean whole, Progress.Display progress)
      throws InterruptedException {
    synchronized (this) { // parallel calls wait, so that only one call reads the notes
      NotesKb.of(kb, host.settings()).ifPresent(NotesKb::refresh);
    }
    if (!whole && state(kb).equals(upToDate.get(kb))) {
      return;
    }
    synchronized (upToDate) {
      if (isDone(kb, whole, progress)) {
        return;
      }
      UpToDate before = state(kb);
      KbStore store = host.stores().of(kb);
      try (ProcessLock lock = store.lock()) {
        run(progress).run(store, enough(whole), Optional.empty());
        UpToDate after = state(kb);
        if (after.log().equals(before.log())) { // the log did not change during the run
          upToDate.put(kb, after);
        }
        troubles.remove(kb);
      } catch (Failure e) {
        if (e.code() != ExitCode.BUSY && e.code() != ExitCode.WRITE) {
          throw e;
        }
        // Another helix-bg is using the KB, or the KB is read-only: the present report is used.
        troubles.put(kb, e.getMessage());
      }
    }
  }

  private OneShotRun run(Progress.Display progress) {
    return new OneShotRun(
        host.pipeline(analyst, progress, progress, warning -> LOG.warn("{}", warning)));
  }

  private static BiPredicate<LastReport.Origin, ReportBasis> enough(boolean whole) {
    return (last, now) -> whole ? last.basis().equals(now) : last.basis().made().equals(now.made());
  }

  /** Whether this process or an earlier process has already brought the KB up to date. */
  private boolean isDone(Kb kb, boolean whole, Progress.Display progress) {
    UpToDate now = state(kb);
    if (!run(progress).isDone(host.stores().of(kb), enough(whole))) {
      return false;
    }
    due |= !now.equals(upToDate.put(kb, now)) && !whole;
    return true;
  }

  /**
   * Loads the model for searches in advance, because no other step of a search takes longer. Does
   * not load it if the settings release an idle model at once.
   */
  void openAhead(Kb kb) {
    state(kb);
    if (host.settings().daemon().embedderIdle().filter(Duration.ZERO::equals).isEmpty()) {
      host.embedder().likelyForQueries().openAhead();
    }
  }

  /** If the KB is up to date, requests its findings once, so that Java loads classes in advance. */
  void prepare(Kb kb) throws InterruptedException {
    kbs.add(kb);
    boolean done;
    synchronized (upToDate) {
      done = isDone(kb, false, Progress.Display.SILENT);
    }
    if (done) {
      requests.answer(DaemonLink.request("findings").put("kb", kb.folder().toString()));
      if (host.embedder().isLoaded()) {
        host.searches().prepare(kb);
      }
    }
  }

  private UpToDate state(Kb kb) {
    Optional<FileState> log = KbFiles.DISK.stateOrNone(kb.requireThere().dataLog());
    return new UpToDate(log, host.stores().of(kb).report().origin());
  }

  private void doChores() {
    try {
      if (System.nanoTime() - lastAsked >= CHORES.toNanos()) {
        followDecisions();
      }
      release();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The next request reports the error.
      LOG.debug("background work failed and will be tried again: {}", e.toString());
    }
  }

  void followDecisions() throws InterruptedException {
    if (due) {
      due = false;
      for (Kb kb : kbs) {
        bringUpToDate(kb, true, Progress.Display.SILENT);
      }
    }
  }

  private void release() {
    boolean released = host.releaseUnused();
    Optional<Duration> idle = host.settings().daemon().embedderIdle();
    if (!host.embedder().isLoaded()
        && idle.filter(least -> System.nanoTime() - lastAsked >= least.toNanos()).isPresent()) {
      host.searches().forgetAll();
    }
    if (released) {
      OperatingSystem.giveBackMemory();
    }
  }

  @Override
  public void close() {
    chores.shutdownNow();
    host.close();
  }
}
