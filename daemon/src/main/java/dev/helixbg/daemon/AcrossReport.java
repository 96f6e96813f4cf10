package dev.helixbg.daemon;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.review.KbEntries;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What several KBs have in common: only findings between entries or topics of different KBs. A
 * topic is named {@code kb/topic} here, by the folder of its KB.
 */
final class AcrossReport {
  /** The most of each kind that are looked through for those of different KBs. */
  private static final int CANDIDATES = 10_000;

  private static final String BETWEEN = "/";

  private AcrossReport() {}

  /**
   * Compares the entries that have vectors already.
   *
   * @throws dev.helixbg.insight.log.DataLogException when a log cannot be read
   */
  static Report of(List<Kb> kbs, EmbedderSource model, Settings settings) {
    List<String> names = names(kbs);
    List<Entry> entries = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    List<Vectors> vectors = new ArrayList<>();
    List<LogAccount> accounts = new ArrayList<>();
    for (int i = 0; i < kbs.size(); i++) {
      Kb kb = kbs.get(i);
      KbEntries known = KbEntries.read(kb.dataLog(), new EmbeddingCache(kb.folder()), model.id());
      accounts.add(known.log());
      keys.addAll(known.keys());
      vectors.add(known.vectors());
      for (Entry entry : known.entries()) {
        // Offsets of several logs mean nothing together: a running number keeps the order.
        entries.add(
            new Entry(
                entries.size(),
                names.get(i) + BETWEEN + entry.topic(),
                entry.body(),
                entry.timestampMin(),
                entry.text()));
      }
    }
    InsightSettings wanted = settings.insight();
    Findings all =
        Analysis.run(
            entries, keys, Vectors.joined(vectors), candidates(wanted), settings.threads());
    return new Report(
        between(all, wanted), together(accounts), new Report.Run(Version.text(), model.describe()));
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

  private static InsightSettings candidates(InsightSettings wanted) {
    return new InsightSettings(
        wanted.topicOverlap(),
        wanted.nearDuplicate(),
        CANDIDATES,
        wanted.crossLinkFrom(),
        CANDIDATES,
        wanted.misfiledMargin(),
        CANDIDATES);
  }

  private static Findings between(Findings all, InsightSettings wanted) {
    List<Finding.Pair> duplicates = between(all.nearDuplicates());
    List<Finding.Pair> links = between(all.crossLinks());
    List<Finding.Misfiled> misfiled =
        all.misfiled().stream()
            .filter(m -> !kbOf(m.entry().entry().topic()).equals(kbOf(m.nearer())))
            .toList();
    return new Findings(
        all.entries(),
        all.topics(),
        all.topicOverlaps().stream().filter(o -> !kbOf(o.a()).equals(kbOf(o.b()))).toList(),
        duplicates.stream().limit(wanted.maxNearDuplicates()).toList(),
        links.stream().limit(wanted.maxCrossLinks()).toList(),
        misfiled.stream().limit(wanted.maxMisfiled()).toList(),
        all.relations().stream().filter(r -> areOfTwoKbs(r.a(), r.b())).toList(),
        all.distribution(),
        wanted,
        new Findings.Totals(
            all.totals().pairs(), duplicates.size(), links.size(), misfiled.size()));
  }

  private static List<Finding.Pair> between(List<Finding.Pair> pairs) {
    return pairs.stream().filter(p -> areOfTwoKbs(p.a(), p.b())).toList();
  }

  private static boolean areOfTwoKbs(NamedEntry a, NamedEntry b) {
    return !kbOf(a.entry().topic()).equals(kbOf(b.entry().topic()));
  }

  private static String kbOf(String topic) {
    return topic.substring(0, topic.indexOf(BETWEEN));
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
