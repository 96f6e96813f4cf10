package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks the log, the store and the published files of one KB. */
public final class KbVerification {
  private final KbStore store;
  private final VectorIds ids;
  private final int modelTokens;
  private final List<CheckLine> checks = new ArrayList<>();
  private final List<String> aRunWould = new ArrayList<>();

  private KbVerification(KbStore store, VectorIds ids, int modelTokens) {
    this.store = store;
    this.ids = ids;
    this.modelTokens = modelTokens;
  }

  /** Results of the checks, and the steps that {@code one-shot} would take now, as verb phrases. */
  public record Result(List<CheckLine> checks, List<String> aRunWould) {}

  /** Checks a store, with the ids and the token limit of the model that a run would use. */
  public static Result of(KbStore store, VectorIds ids, int modelTokens)
      throws InterruptedException {
    KbVerification verification = new KbVerification(store, ids, modelTokens);
    LogReading log = DataLog.readQuiet(store.kb().dataLog());
    verification.checkLog(log.account());
    verification.checkStore();
    verification.checkVectors(log.entries());
    verification.checkReport(log.account());
    verification.checkPublished();
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
                  "data.log",
                  detail,
                  "normal while helix is writing; otherwise the last entry was lost")
              : CheckLine.problem(
                  "data.log",
                  detail,
                  "helix-bg reads the entries around the damage; a compaction by helix removes the"
                      + " damage"));
    }
  }

  private void checkStore() {
    String file = store.database().file().toString();
    String remedy = "move it away; the next run creates a new store with your decisions";
    checks.add(
        store
            .database()
            .fault()
            .map(fault -> CheckLine.problem("store", file + ": " + fault, remedy))
            .orElseGet(() -> CheckLine.ok("store", file + ", sound")));
  }

  private void checkVectors(List<Entry> entries) {
    List<String> texts = new ArrayList<>();
    List<String> passages = new ArrayList<>();
    for (Entry entry : entries) {
      texts.add(entry.embeddedText());
      for (Passage passage : Passage.of(entry, modelTokens)) {
        passages.add(passage.embeddedText(entry, modelTokens));
      }
    }
    checkVectors(VectorStore.ofEntries(store.database()), ids.entries(), texts, "entries");
    checkVectors(VectorStore.ofPassages(store.database()), ids.passages(), passages, "passages");
  }

  private void checkVectors(
      VectorStore vectors, List<String> possibleIds, List<String> texts, String what) {
    KnownVectors known = vectors.read();
    String id = known.id(possibleIds, texts.stream());
    Set<TextKey> needed =
        texts.stream().map(text -> TextKey.of(id, text)).collect(Collectors.toSet());
    long missing = needed.stream().filter(key -> known.vector(key).isEmpty()).count();
    checks.add(
        CheckLine.ok(
            "vectors",
            "%,d of %,d %s have a vector".formatted(needed.size() - missing, needed.size(), what)));
    if (missing > 0) {
      aRunWould.add("embed %,d %s".formatted(missing, what));
    }
  }

  private void checkReport(LogAccount log) {
    Optional<LastReport.Origin> origin = store.report().origin();
    String lacks =
        origin.isEmpty()
            ? "there is none yet"
            : !origin.get().logSha256().equals(log.sha256())
                ? "made from an earlier state of the log"
                : origin.get().firstLook().isPresent()
                    ? "a first look at the current state of the log"
                    : "";
    if (lacks.isEmpty()) {
      checks.add(CheckLine.ok("report", "made from the current state of the log"));
    } else {
      aRunWould("report", lacks, "a run brings it up to date", "write the report");
    }
  }

  private void checkPublished() {
    if (!store.outputs().isWritable()) {
      checks.add(
          CheckLine.note(
              "published",
              store.kb().folder() + " is not writable",
              "the report is in " + store.folder()));
      return;
    }
    String files = String.join(", ", store.outputs().changed());
    if (files.isEmpty()) {
      checks.add(
          CheckLine.ok(
              "published",
              "the report and embeddings.bin are unchanged since they were published"));
    } else {
      aRunWould(
          "published",
          files + ": missing, or changed since they were published",
          "a run publishes these files again; helix-bg itself does not read them",
          "publish " + files);
    }
  }

  private void aRunWould(String name, String detail, String remedy, String action) {
    checks.add(CheckLine.note(name, detail, remedy));
    aRunWould.add(action);
  }
}
