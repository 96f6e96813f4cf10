package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What several KBs have in common: only findings between entries or topics of different KBs. A
 * topic is named {@code kb/topic} here, by the folder of its KB.
 */
public final class CrossKbReport {
  private static final String BETWEEN = "/";

  private CrossKbReport() {}

  /**
   * Compares the entries that have vectors already.
   *
   * @throws dev.helixbg.insight.log.DataLogException when a log cannot be read
   */
  public static Report of(List<KbStore> kbs, EmbedderSource model, Settings settings) {
    List<String> names = names(kbs.stream().map(KbStore::kb).toList());
    List<NamedEntry> entries = new ArrayList<>();
    List<Vectors> vectors = new ArrayList<>();
    List<LogAccount> accounts = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<Vectors> passageVectors = new ArrayList<>();
    for (int i = 0; i < kbs.size(); i++) {
      KbStore kb = kbs.get(i);
      KbEntries known =
          KbEntries.read(kb.kb().dataLog(), kb.database(), model.ids(), model.maxTokens());
      accounts.add(known.log());
      vectors.add(known.vectors());
      for (int owner : known.passages().owners()) {
        owners.add(entries.size() + owner);
      }
      passages.addAll(known.passages().passages());
      passageVectors.add(known.passages().vectors());
      for (NamedEntry named : known.named()) {
        Entry entry = named.entry();
        // Offsets of several logs mean nothing together: a running number keeps the order.
        entries.add(
            new NamedEntry(
                new Entry(
                    entries.size(),
                    names.get(i) + BETWEEN + entry.topic(),
                    entry.body(),
                    entry.timestampMin(),
                    named(names.get(i) + BETWEEN, entry)),
                named.index(),
                named.key()));
      }
    }
    Findings between =
        Analysis.between(
            entries,
            Vectors.joined(vectors),
            new PassageVectors(
                owners.stream().mapToInt(Integer::intValue).toArray(),
                passages,
                Vectors.joined(passageVectors)),
            topic -> topic.substring(0, topic.indexOf(BETWEEN)),
            settings.insight(),
            settings.threads());
    return new Report(
        between,
        together(accounts),
        new Report.Run(Version.text(), model.describe()),
        Judgements.NONE,
        List.of(),
        Acts.NONE,
        Optional.empty(),
        SourceCheckResult.NONE,
        List.of(),
        Optional.empty());
  }

  /** A note is called by its source, which is to tell whose it is. */
  private static EntryText named(String kb, Entry entry) {
    EntryText text = entry.text();
    return entry.note().isEmpty() ? text : text.withSource(text.source().map(kb::concat));
  }

  /** Names of the folders, numbered where two are called the same. */
  static List<String> names(List<Kb> kbs) {
    List<String> names = new ArrayList<>();
    for (Kb kb : kbs) {
      String name = String.valueOf(kb.folder().getFileName());
      String unique = name;
      for (int n = 2; names.contains(unique); n++) {
        unique = name + "-" + n;
      }
      names.add(unique);
    }
    return names;
  }

  private static LogAccount together(List<LogAccount> accounts) {
    String logs = accounts.stream().map(LogAccount::sha256).collect(Collectors.joining());
    return new LogAccount(
        accounts.stream().mapToLong(LogAccount::bytes).sum(),
        Sha256.of(logs),
        accounts.stream().mapToInt(LogAccount::entries).sum(),
        accounts.stream().mapToInt(LogAccount::deletes).sum(),
        accounts.stream().mapToInt(LogAccount::live).sum(),
        List.of());
  }
}
