package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import java.io.IOException;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** All findings of a report: first those in its top section, then the others, ordered by kind. */
public final class FindingList extends FindingJson {
  private final StringWriter line;
  private final Sink sink;
  private final List<String> leading = leading();
  private int others;

  /** Receives each finding with its place in the list, from 0, and its JSON on one line. */
  @FunctionalInterface
  public interface Sink {
    void take(int place, ReportedFinding finding, String json) throws SQLException;
  }

  private FindingList(StringWriter line, JsonGenerator json, Report report, Sink sink) {
    super(json, report);
    this.line = line;
    this.sink = sink;
  }

  /** Passes all findings of a report to a sink, in any order, each with its place. */
  public static void pass(Report report, Sink sink) throws SQLException {
    StringWriter line = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(line)) {
      new FindingList(line, json, report, sink).passAll();
    } catch (IOException e) {
      throw new AssertionError("writing to a string does not fail", e);
    }
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

  private void passAll() throws IOException, SQLException {
    for (Finding.Copies one : findings.copies()) {
      pass(new Row("copies", one.id(), 1, one.entries()), one, this::copies);
    }
    for (Judgements.Merge one : judgements.merges()) {
      Row row = new Row("merges", one.id(), 1, one.entries());
      row.proposed = Optional.of(one.text());
      pass(row, one, this::merge);
    }
    int rank = 0;
    for (Finding.Relation one : findings.relations()) {
      List<NamedEntry> both = List.of(one.a(), one.b());
      Row row = new Row(ReportedFinding.RELATIONS, one.id(), one.similarity(), both);
      row.rank = OptionalInt.of(++rank);
      row.verdict = judgements.actingOn(one);
      pass(row, one, this::relation);
    }
    for (Finding.MovedSource one : moved()) {
      Row row = new Row(ReportedFinding.MOVED_SOURCES, one.id(), 1, List.of(one.entry()));
      row.about = ReportedFinding.about(row.about, one.named() + ", " + one.change().title());
      row.named = Optional.of(one.named());
      row.proposed = one.now();
      pass(row, one, this::movedSource);
    }
    for (Judgements.Lesson one : judgements.lessons().all()) {
      Row row = new Row(ReportedFinding.LESSONS, one.id(), 1, one.entries());
      row.proposed = Optional.of(one.text());
      pass(row, one, this::lesson);
    }
    for (Finding.Secret one : secrets()) {
      Row row = new Row("secrets", one.id(), 1, List.of(one.entry()));
      row.about = ReportedFinding.about(row.about, one.held());
      pass(row, one, this::secret);
    }
    for (Finding.TopicOverlap one : findings.topicOverlaps()) {
      Row row = new Row("topicOverlaps", one.id(), one.similarity(), List.of());
      List<String> both = List.of(one.a(), one.b());
      row.about = ReportedFinding.about(both);
      row.topics.addAll(both);
      pass(row, one, this::overlap);
    }
  }

  private <T> void pass(Row row, T finding, FieldWriter<T> fields)
      throws IOException, SQLException {
    object(finding, fields);
    json.flush();
    String text = line.toString().strip(); // removes the blank between two values
    line.getBuffer().setLength(0);
    int lead = leading.indexOf(row.id);
    int place = lead < 0 ? leading.size() + others++ : lead;
    sink.take(place, row.finding(lead >= 0), text);
  }
}
