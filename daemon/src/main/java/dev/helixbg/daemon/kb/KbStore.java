package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.agents.AgentAnswerStore;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.decisions.DecisionStore;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.KbLayout;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.pairs.ReadingStore;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The store of one knowledge base: a private folder with a database, a copy of the decisions on
 * findings, and the files of the last report.
 *
 * @param published action to run after a report was published
 */
public record KbStore(Kb kb, Path folder, Database database, KbOutputs outputs, Runnable published)
    implements AutoCloseable {
  private static final String DATABASE = "kb.db";
  private static final String LOCK = "run.lock";
  private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

  /** Version of the tables. A database of another version is replaced by a new one. */
  private static final int VERSION = 8;

  static KbStore open(
      Kb kb, Path folder, Path cache, Consumer<String> warnings, Runnable published) {
    Path file = folder.resolve(DATABASE);
    Database database = new Database(file, schema(file), warnings);
    KbOutputs outputs = new KbOutputs(kb, database, ReportFolder.in(folder), cache);
    return new KbStore(kb, folder, database, outputs, published);
  }

  private static Database.Schema schema(Path file) {
    List<String> tables = new ArrayList<>(LastReport.TABLES);
    tables.addAll(AgentAnswerStore.TABLES);
    tables.addAll(
        List.of(
            VectorStore.TABLE,
            KbLayout.TABLE,
            ReadingStore.TABLE,
            AnswerStore.TABLE,
            DecisionStore.TABLE,
            KbOutputs.TABLE));
    return new Database.Schema(
        VERSION,
        tables,
        connection -> {
          DecisionStore.restore(connection, file);
          AgentAnswerStore.restore(connection, Database.aside(file));
          return null;
        });
  }

  /**
   * Returns the entries with their vectors, if the store has a layout (the positions of the vectors
   * in the store) for the present log.
   */
  public Optional<KbEntries> entriesAsKept(VectorIds ids, int modelTokens) {
    Optional<String> log = outputs.logHash();
    return log.flatMap(sha256 -> KbLayout.read(kb.dataLog(), sha256, database, ids, modelTokens))
        .filter(_ -> outputs.logHash().equals(log));
  }

  /** Whether the store has a layout for the present log, so that no text needs to be embedded. */
  public boolean hasLayout(VectorIds ids, int modelTokens) {
    return outputs
        .logHash()
        .filter(log -> KbLayout.isKept(database, log, ids, modelTokens))
        .isPresent();
  }

  public DecisionStore decisions() {
    return new DecisionStore(database);
  }

  public AnswerStore answers() {
    return new AnswerStore(database);
  }

  public AgentAnswerStore agentAnswers() {
    return new AgentAnswerStore(database);
  }

  /** Returns the coding agents' answers, with the measured reliability of each agent. */
  public AgentAnswers agents() {
    return new AgentAnswers(agentAnswers().all(), Optional.empty());
  }

  /** Returns the readings (results about pairs) of the pair judges with this id. */
  public ReadingStore readings(String judge) {
    return new ReadingStore(database, judge);
  }

  public LastReport report() {
    return new LastReport(database);
  }

  /**
   * Takes the lock that prevents a second run on this KB, and deletes temporary files of killed
   * runs. helix does not use this lock. Waits up to a second; fails if another process still has
   * the lock.
   */
  public ProcessLock lock() {
    ProcessLock lock = takeLock();
    try {
      outputs.deleteLeftovers();
      // Other processes write decisions without this lock, but in transactions. They wait while
      // this transaction runs.
      database.write(
          Database.Durability.COMPUTED,
          connection -> {
            AtomicFile.deleteLeftovers(folder);
            return true;
          });
    } catch (IOException | StoreException e) {
      // The next run tries to delete the files again. If this run cannot write, it fails later.
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
    return lock;
  }

  private ProcessLock takeLock() {
    Path file = folder.resolve(LOCK);
    try {
      return ProcessLock.take(file, LOCK_WAIT)
          .orElseThrow(
              () ->
                  new Failure(
                      ExitCode.BUSY,
                      "another helix-bg is at work on "
                          + kb.folder()
                          + "; try again when it has finished"));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write " + file, e, "Make it writable");
    }
  }

  /** Stores a report and publishes its files; {@link LastReport.Origin} explains the parameters. */
  public void publish(Report report, ReportBasis basis, int questions, String summary) {
    outputs.kept().write(report);
    report().keep(report, basis, questions, summary);
    outputs.publishReport(report.log().sha256());
    published.run();
  }

  @Override
  public void close() {
    database.close();
  }
}
