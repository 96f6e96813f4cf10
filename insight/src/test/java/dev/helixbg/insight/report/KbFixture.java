package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Builds a knowledge base for tests: its entries, and freely chosen findings about them. */
final class KbFixture {

  private final List<NamedEntry> entries = new ArrayList<>();
  private final Map<String, Integer> sizes = new TreeMap<>();
  private final List<Finding.Copies> copies = new ArrayList<>();
  private final List<Finding.TopicOverlap> overlaps = new ArrayList<>();
  private final List<Finding.Relation> relations = new ArrayList<>();
  private final List<LogAccount.Damage> damage = new ArrayList<>();
  private int offset = 8;

  NamedEntry entry(String topic, int timestampMin, String content, String... tags) {
    return entry(topic, timestampMin, Optional.empty(), OptionalDouble.empty(), content, tags);
  }

  NamedEntry entry(
      String topic,
      int timestampMin,
      Optional<String> source,
      OptionalDouble confidence,
      String content,
      String... tags) {
    EntryText text =
        new EntryText(
            content,
            List.of(tags),
            source,
            confidence,
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    Entry entry = new Entry(offset, topic, content, timestampMin, text);
    offset += 12 + topic.length() + content.length();
    int index = sizes.merge(topic, 1, Integer::sum) - 1;
    String key = "%032x".formatted(0x9e3779b97f4a7c15L * (entries.size() + 1));
    NamedEntry named = new NamedEntry(entry, index, key, false);
    entries.add(named);
    return named;
  }

  KbFixture pair(NamedEntry a, NamedEntry b, double similarity) {
    return relation(a, b, 2 * similarity - 1, NearestPair.EVIDENCE);
  }

  KbFixture overlap(String a, String b, double similarity) {
    String id = id("overlap", overlaps.size());
    overlaps.add(new Finding.TopicOverlap(id, a, b, similarity, sizes.get(a), sizes.get(b)));
    return this;
  }

  KbFixture relation(NamedEntry a, NamedEntry b, double score, Finding.Evidence evidence) {
    relations.add(
        new Finding.Relation(id("rel", relations.size()), a, b, score, 0.5 + score / 2, evidence));
    return this;
  }

  KbFixture copies(NamedEntry... same) {
    copies.add(new Finding.Copies(id("copies", copies.size()), List.of(same)));
    return this;
  }

  KbFixture damage(long at, long unreadable, LogAccount.Kind kind, String detail) {
    damage.add(new LogAccount.Damage(at, unreadable, kind, detail));
    return this;
  }

  Report report() {
    List<Findings.Topic> topics = new ArrayList<>();
    sizes.forEach((name, size) -> topics.add(new Findings.Topic(name, size)));
    Findings findings =
        new Findings(
            List.copyOf(entries),
            topics,
            List.copyOf(copies),
            List.copyOf(overlaps),
            List.copyOf(relations));
    LogAccount log =
        new LogAccount(
            offset, "ab".repeat(32), entries.size() + 3, 3, entries.size(), List.copyOf(damage));
    return KbFixtures.report(
        findings, log, new Report.Run("0.1.0", "all-MiniLM-L6-v2, fp32, bundled"), Judgements.NONE);
  }

  private static String id(String prefix, int number) {
    return "%s-%010x".formatted(prefix, 0x3f9a01c2d4L + 7919L * number);
  }
}
