package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.CacheContents.Journal;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at the files of one KB, without changing any, and says what is wrong and what a run would
 * do.
 */
public final class KbVerification {
  private final Kb kb;
  private final SealedReports reports;
  private final VectorIds ids;
  private final int modelTokens;
  private final List<CheckLine> checks = new ArrayList<>();
  private final List<String> aRunWould = new ArrayList<>();

  private KbVerification(Kb kb, SealedReports reports, VectorIds ids, int modelTokens) {
    this.kb = kb;
    this.reports = reports;
    this.ids = ids;
    this.modelTokens = modelTokens;
  }

  /**
   * @param checks what was looked at
   * @param aRunWould what one-shot would do now, each beginning with a verb; empty when nothing
   */
  public record Result(List<CheckLine> checks, List<String> aRunWould) {}

  /**
   * @param ids of the vectors of the model that a run would embed with
   * @param modelTokens the most tokens that it takes of a text
   */
  public static Result of(Kb kb, SealedReports reports, VectorIds ids, int modelTokens)
      throws InterruptedException {
    KbVerification verification = new KbVerification(kb, reports, ids, modelTokens);
    LogReading log = DataLog.readQuiet(kb.dataLog());
    verification.checkLog(log.account());
    verification.checkVectors(log.entries());
    verification.checkReport(log.account());
    return new Result(List.copyOf(verification.checks), List.copyOf(verification.aRunWould));
  }

  private void checkLog(LogAccount log) {
    checks.add(
        CheckLine.ok(
            "data.log",
            "%,d bytes, %,d entries written, %,d deletes, %,d live"
                .formatted(log.bytes(), log.entries(), log.deletes(), log.live())));
    for (LogAccount.Damage damage : log.damage()) {
      String detail =
          "at offset %,d, %,d bytes unreadable: %s"
              .formatted(damage.offset(), damage.unreadable(), damage.detail());
      checks.add(
          damage.kind() == LogAccount.Kind.TORN_TAIL
              ? CheckLine.note(
                  "data.log", detail, "normal while helix writes; else the last entry was lost")
              : CheckLine.problem(
                  "data.log",
                  detail,
                  "helix-bg reads around it; a compaction by helix removes it"));
    }
  }

  private void checkVectors(List<Entry> entries) {
    EmbeddingCache cache = new EmbeddingCache(kb.folder());
    List<String> texts = new ArrayList<>();
    List<String> passages = new ArrayList<>();
    for (Entry entry : entries) {
      texts.add(entry.embeddedText());
      for (Passage passage : Passage.of(entry, modelTokens)) {
        passages.add(passage.embeddedText(entry, modelTokens));
      }
    }
    checkVectors(cache, ids.entries(), texts, "texts");
    CacheContents cached = cache.ofPassages().read();
    if (!passages.isEmpty()
        || cached.state() != CacheContents.State.MISSING
        || cached.journal().state() != Journal.State.NONE) {
      checkVectors(cache.ofPassages(), ids.passages(), passages, "passages");
    }
  }

  private void checkVectors(
      EmbeddingCache cache, List<String> cacheIds, List<String> texts, String what) {
    CacheContents cached = cache.read();
    String name = cache.vectors().getFileName().toString();
    String id = cached.id(cacheIds, texts.stream());
    Set<TextKey> needed =
        texts.stream().map(text -> TextKey.of(id, text)).collect(Collectors.toSet());
    long missing = needed.stream().filter(key -> cached.vector(key).isEmpty()).count();
    long unneeded =
        cached.rows().stream().map(CacheRow::key).filter(key -> !needed.contains(key)).count();
    switch (cached.state()) {
      case GOOD ->
          checks.add(CheckLine.ok(name, "%,d vectors, sound".formatted(cached.rows().size())));
      case MISSING -> checks.add(CheckLine.note(name, cached.reason(), "a run makes it"));
      case UNUSABLE -> checks.add(CheckLine.problem(name, cached.reason(), "a run makes it anew"));
    }
    checkJournal(cached.journal(), cache.journal().getFileName().toString(), name);
    if (missing > 0) {
      aRunWould.add("embed %,d %s".formatted(missing, what));
    }
    if (unneeded > 0) {
      aRunWould.add("drop %,d vectors of %s that are gone".formatted(unneeded, what));
    }
  }

  private void checkJournal(Journal journal, String name, String vectors) {
    String sound = "%,d vectors wait for %s".formatted(journal.vectors().size(), vectors);
    switch (journal.state()) {
      case NONE -> {
        return;
      }
      case WHOLE -> checks.add(CheckLine.ok(name, sound + ", sound"));
      case TORN ->
          checks.add(
              CheckLine.note(name, sound + "; it " + journal.reason(), "normal after a kill"));
      case OPEN ->
          checks.add(
              CheckLine.note(
                  name,
                  sound + "; it " + journal.reason(),
                  "a run replaces it, where the file system has modes"));
      case DAMAGED ->
          checks.add(
              CheckLine.problem(
                  name, "it " + journal.reason() + "; " + sound, "a run replaces it"));
    }
    aRunWould.add("publish the vectors in " + name);
  }

  private void checkReport(LogAccount log) {
    CheckLine report = report(log);
    checks.add(report);
    if (report.state() != CheckLine.State.OK) {
      aRunWould.add("write the report");
    }
  }

  private CheckLine report(LogAccount log) {
    ReportFolder files = ReportFolder.of(kb);
    String absent =
        Stream.of(files.html(), files.markdown(), files.json())
            .filter(file -> !Files.isRegularFile(file))
            .map(file -> file.getFileName().toString())
            .collect(Collectors.joining(", "));
    if (!absent.isEmpty()) {
      return CheckLine.note("report", absent + " not there", "a run writes it");
    }
    try {
      Optional<ReportFile.Origin> origin =
          originIn(files.json()).filter(found -> found.schema() == Report.SCHEMA);
      if (origin.isEmpty()) {
        return CheckLine.problem(
            "report", "report.json is not one that this version writes", "a run writes it anew");
      }
      if (reports.asWritten(kb).isEmpty()) {
        return CheckLine.problem(
            "report", "it is not as your helix-bg wrote it here", "a run writes it anew");
      }
      if (!origin.get().isOf(log)) {
        return CheckLine.note(
            "report", "of an earlier state of the log", "a run brings it up to date");
      }
      return origin.get().firstLook().isPresent()
          ? CheckLine.note(
              "report", "of this very log, a first look", "a run, or the daemon at idle, ends it")
          : CheckLine.ok("report", "of this very log");
    } catch (IOException e) {
      return CheckLine.problem(
          "report", "it cannot be read: " + Failure.reason(e), "a run writes it anew");
    }
  }

  /** Empty when it is no report. */
  private static Optional<ReportFile.Origin> originIn(Path reportJson) throws IOException {
    try (InputStream report = Files.newInputStream(reportJson)) {
      return ReportFile.origin(report);
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
