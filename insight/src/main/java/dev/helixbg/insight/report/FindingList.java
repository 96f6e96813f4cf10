package dev.helixbg.insight.report;

import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** All findings of a report: first the leading findings, then the other findings by kind. */
final class FindingList {
  private final Judgements judgements;
  private final Map<String, Integer> leading = new HashMap<>();
  private final List<Row> rows = new ArrayList<>();
  private int relations;

  private FindingList(Judgements judgements, List<String> leading) {
    this.judgements = judgements;
    leading.forEach(id -> this.leading.putIfAbsent(id, this.leading.size()));
  }

  private static final class Row {
    final String section;
    final String id;
    final double similarity;
    final Set<String> topics = new LinkedHashSet<>();
    final List<String> keys = new ArrayList<>();
    String about = "";
    OptionalInt rank = OptionalInt.empty();
    Optional<Verdict> verdict = Optional.empty();
    Optional<String> named = Optional.empty();
    Optional<String> proposed = Optional.empty();

    Row(String section, String id, double similarity, List<NamedEntry> entries) {
      this.section = section;
      this.id = id;
      this.similarity = similarity;
      this.about = entries.isEmpty() ? "" : ReportedFinding.aboutEntries(entries);
      entries.forEach(one -> topics.add(one.topic()));
      entries.forEach(one -> keys.add(one.key()));
    }

    ReportedFinding finding(boolean leads) {
      return new ReportedFinding(
          section, id, leads, rank, similarity, about, topics, keys, verdict, named, proposed);
    }
  }

  /** {@code leading} are the ids of the leading findings, in order. */
  static List<ReportedFinding> of(
      Report report,
      List<String> leading,
      List<Finding.MovedSource> moved,
      List<Finding.Secret> secrets) {
    FindingList list = new FindingList(report.judgements(), leading);
    report.findings().copies().forEach(one -> list.add("copies", one.id(), 1, one.entries()));
    for (Judgements.Merge merge : report.judgements().merges()) {
      list.add("merges", merge.id(), 1, merge.entries()).proposed = Optional.of(merge.text());
    }
    report.findings().relations().forEach(list::addRelation);
    moved.forEach(list::addMoved);
    for (Judgements.Lesson one : report.judgements().lessons().all()) {
      list.add(ReportedFinding.LESSONS, one.id(), 1, one.entries()).proposed =
          Optional.of(one.text());
    }
    report.findings().misfiled().forEach(list::addMisfiled);
    secrets.forEach(list::addSecret);
    report.findings().topicOverlaps().forEach(list::addOverlap);
    return list.rows.stream()
        .sorted(
            Comparator.comparingInt(row -> list.leading.getOrDefault(row.id, Integer.MAX_VALUE)))
        .map(row -> row.finding(list.leading.containsKey(row.id)))
        .toList();
  }

  private Row add(String section, String id, double similarity, List<NamedEntry> entries) {
    Row row = new Row(section, id, similarity, entries);
    rows.add(row);
    return row;
  }

  private void addRelation(Finding.Relation pair) {
    Row row =
        add(ReportedFinding.RELATIONS, pair.id(), pair.similarity(), List.of(pair.a(), pair.b()));
    row.rank = OptionalInt.of(++relations);
    row.verdict = judgements.actingOn(pair);
  }

  private void addMoved(Finding.MovedSource moved) {
    Row row = add(ReportedFinding.MOVED_SOURCES, moved.id(), 1, List.of(moved.entry()));
    row.about = ReportedFinding.about(row.about, moved.named() + ", " + moved.change().title());
    row.named = Optional.of(moved.named());
    row.proposed = moved.now();
  }

  private void addMisfiled(Finding.Misfiled one) {
    Row row = add("misfiled", one.id(), one.other(), List.of(one.entry()));
    row.about = ReportedFinding.about(row.about, one.nearer());
    row.topics.add(one.nearer());
    row.proposed = Optional.of(one.nearer());
  }

  private void addSecret(Finding.Secret one) {
    Row row = add("secrets", one.id(), 1, List.of(one.entry()));
    row.about = ReportedFinding.about(row.about, one.held());
  }

  private void addOverlap(Finding.TopicOverlap overlap) {
    Row row = add("topicOverlaps", overlap.id(), overlap.similarity(), List.of());
    List<String> both = List.of(overlap.a(), overlap.b());
    row.about = ReportedFinding.about(both);
    row.topics.addAll(both);
  }
}
