package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes findings as JSON, in the form of report.json. */
class FindingJson {
  /** Maximum length of a text, in UTF-16 units. Names of entries are always shorter. */
  static final int MAX_TEXT = 20_000;

  /** Maximum length of a tag, a source or a model's sentence, in UTF-16 units. */
  static final int MAX_LINE = 1_000;

  interface FieldWriter<T> {
    void write(T value) throws IOException;
  }

  final void optional(String field, Optional<String> value) throws IOException {
    json.writeStringField(field, value.map(FindingJson::bounded).orElse(null));
  }

  final void text(String field, String value) throws IOException {
    json.writeStringField(field, bounded(value));
  }

  /** Limits the length of a value. Logs, models' answers and git histories can have any length. */
  static String bounded(String value) {
    return PrintableText.wellFormed(PrintableText.beginning(value, MAX_TEXT));
  }

  static String line(String text) {
    return PrintableText.beginning(text, MAX_LINE);
  }

  /** Writes a number with at most six decimals, or null for a value that is not finite. */
  final void decimal(String field, double value) throws IOException {
    json.writeFieldName(field);
    if (Double.isFinite(value)) {
      json.writeNumber(NumberWords.trimmed(value, 6));
    } else {
      json.writeNull();
    }
  }

  final <T> void object(String field, T value, FieldWriter<T> fields) throws IOException {
    json.writeFieldName(field);
    if (value == null) {
      json.writeNull();
    } else {
      object(value, fields);
    }
  }

  final <T> void list(String field, List<T> items, FieldWriter<T> fields) throws IOException {
    json.writeArrayFieldStart(field);
    for (T item : items) {
      object(item, fields);
    }
    json.writeEndArray();
  }

  final <T> void object(T value, FieldWriter<T> fields) throws IOException {
    json.writeStartObject();
    fields.write(value);
    json.writeEndObject();
  }

  final void texts(String field, List<String> texts) throws IOException {
    json.writeArrayFieldStart(field);
    for (String text : texts) {
      json.writeString(bounded(text));
    }
    json.writeEndArray();
  }

  /** Maximum number of tags of an entry, because metadata can be as long as a body. */
  static final int MAX_TAGS = 50;

  /** Maximum number of relations that are written in full; enough for reports on 4,000 entries. */
  static final int FULL_RELATIONS = 2_000;

  /** Maximum length, in UTF-16 units, of an entry's text if it is not written in full. */
  private static final int SHORT_TEXT = 200;

  /** Maximum number of moved sources in a report, and also of secrets. */
  private static final int MAX_MOVED = 1_000;

  final JsonGenerator json;
  final Report report;
  final Findings findings;
  final Judgements judgements;
  final JudgedRelations pairs;
  private int relations;

  FindingJson(JsonGenerator json, Report report) {
    this.json = json;
    this.report = report;
    findings = report.findings();
    judgements = report.judgements();
    pairs = JudgedRelations.of(findings.relations(), judgements);
  }

  /** Returns the ids of the findings in the report's top section, in their order there. */
  final List<String> leading() {
    return Stream.concat(
            findings.copies().stream().limit(LeadingSection.MAX_COPIES), pairs.leading().stream())
        .map(Finding::id)
        .toList();
  }

  final List<Finding.MovedSource> moved() {
    return report.sources().moved().stream().limit(MAX_MOVED).toList();
  }

  final List<Finding.Secret> secrets() {
    return report.secrets().stream().limit(MAX_MOVED).toList();
  }

  void lesson(Judgements.Lesson lesson) throws IOException {
    text("id", lesson.id());
    edit(Acts.onLesson(lesson.entries(), lesson.text()));
    text("lesson", lesson.text());
    json.writeNumberField("topics", lesson.topics());
    texts("lessons", lesson.sentences());
    list("entries", lesson.entries(), named -> entry(named, SHORT_TEXT));
  }

  void merge(Judgements.Merge merge) throws IOException {
    text("id", merge.id());
    edit(Acts.onMerge(merge.entries(), merge.text()));
    list("entries", merge.entries(), this::named);
    text("proposedText", merge.text());
  }

  private void verdict(Finding.Relation pair) throws IOException {
    object(
        "verdict",
        judgements.verdict(pair).orElse(null),
        said -> {
          text("verdict", said.verdict().title());
          optional("by", judgements.model());
          decimal("probability", said.probability());
          decimal("same", said.same());
          decimal("related", said.related());
          decimal("overtaken", said.overtaken());
          json.writeBooleanField("contradiction", said.contradiction());
          json.writeBooleanField("cut", said.cut());
          optional(
              "newer",
              Optional.of(pair.a().isOlderThan(pair.b()) ? "b" : "a")
                  .filter(_ -> pair.a().isAgeKnown(pair.b())));
        });
  }

  private void agents(AgentSayings.Said said) throws IOException {
    optional("verdict", said.verdict().map(Verdict::title));
    text("words", said.words());
    list("said", said.all(), this::saying);
  }

  private void saying(AgentSayings.Saying one) throws IOException {
    text("by", one.client());
    text("verdict", one.verdict().title());
    json.writeBooleanField("counts", one.counts());
  }

  private void edit(List<Act> ways) throws IOException {
    list("edit", ways, this::act);
  }

  private void act(Act act) throws IOException {
    texts("if", act.when().stream().map(Act.When::title).toList());
    text("do", act.words());
  }

  void copies(Finding.Copies copies) throws IOException {
    text("id", copies.id());
    edit(Acts.onCopies(copies.entries()));
    list("entries", copies.entries(), named -> entry(named, SHORT_TEXT));
  }

  void relation(Finding.Relation relation) throws IOException {
    boolean full = ++relations <= FULL_RELATIONS;
    FieldWriter<NamedEntry> entry = full ? this::entry : named -> entry(named, SHORT_TEXT);
    json.writeNumberField("rank", relations);
    text("id", relation.id());
    text("kind", relation.kind().title());
    text("says", EvidenceWords.of(relation));
    decimal("score", relation.score());
    decimal("similarity", relation.similarity());
    verdict(relation);
    object("agents", judgements.agents().of(relation).orElse(null), this::agents);
    object("assessment", relation.assessment().isPresent() ? relation : null, this::assessment);
    object("evidence", relation.evidence(), this::evidence);
    edit(full ? Acts.on(relation.a(), relation.b(), judgements.actingOn(relation)) : List.of());
    object("a", relation.a(), entry);
    object("b", relation.b(), entry);
  }

  private void assessment(Finding.Relation relation) throws IOException {
    Finding.Assessment said = relation.assessment().orElseThrow();
    optional("words", EvidenceWords.assessment(relation));
    text("tier", said.tier().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    decimal("act", said.act());
    decimal("same", said.same());
    decimal("overtaken", said.overtaken());
    decimal("related", said.related());
    optional(
        "older",
        Optional.of(relation.older() == relation.a() ? "a" : "b")
            .filter(_ -> relation.a().isAgeKnown(relation.b())));
    optional("objection", said.objection());
  }

  private void evidence(Finding.Evidence evidence) throws IOException {
    json.writeBooleanField("mutualNearest", evidence.mutualNearest());
    json.writeObjectField("rankOfB", evidence.rankOfB() == 0 ? null : evidence.rankOfB());
    json.writeObjectField("rankOfA", evidence.rankOfA() == 0 ? null : evidence.rankOfA());
    texts("sharedWords", evidence.sharedWords());
    optional("newer", evidence.newer().map(side -> side == Finding.Side.A ? "a" : "b"));
    object("passages", evidence.matching().orElse(null), this::matching);
  }

  private void matching(Finding.Matching matching) throws IOException {
    object("a", matching.a(), this::passage);
    object("b", matching.b(), this::passage);
    decimal("similarity", matching.similarity());
  }

  private void passage(Passage passage) throws IOException {
    json.writeNumberField("start", passage.start());
    json.writeNumberField("end", passage.end());
  }

  void overlap(Finding.TopicOverlap overlap) throws IOException {
    text("id", overlap.id());
    text("says", EvidenceWords.of(overlap));
    decimal("similarity", overlap.similarity());
    text("a", overlap.a());
    text("b", overlap.b());
    json.writeNumberField("entriesA", overlap.entriesA());
    json.writeNumberField("entriesB", overlap.entriesB());
    edit(Acts.onOverlap(overlap.a(), overlap.entriesA(), overlap.b(), overlap.entriesB()));
  }

  void secret(Finding.Secret secret) throws IOException {
    text("id", secret.id());
    text("says", secret.says());
    object("entry", secret.entry(), this::entry);
  }

  void movedSource(Finding.MovedSource moved) throws IOException {
    text("id", moved.id());
    text("change", moved.change().title());
    text("folder", moved.folder());
    text("named", line(moved.named()));
    text("path", line(moved.path()));
    optional("now", moved.now().map(FindingJson::line));
    object("since", moved.since().orElse(null), this::since);
    text("says", moved.words());
    edit(Acts.onMoved(moved.entry(), moved.named(), moved.now()));
    object("entry", moved.entry(), this::entry);
  }

  private void since(Finding.Since since) throws IOException {
    text("commit", since.commit());
    text("date", since.date());
  }

  void named(NamedEntry named) throws IOException {
    text("name", named.name());
    text("title", named.title());
    text("topic", named.topic());
    text("key", named.key());
  }

  private void entry(NamedEntry named) throws IOException {
    entry(named, MAX_TEXT);
  }

  private void entry(NamedEntry named, int maxText) throws IOException {
    EntryText entry = named.text();
    text("name", named.name());
    text("title", named.title());
    optional("place", named.place());
    text("topic", named.topic());
    json.writeNumberField("index", named.index());
    json.writeNumberField("offset", named.entry().offset());
    text("key", named.key());
    optional("written", named.entry().written());
    texts("tags", entry.tags().stream().limit(MAX_TAGS).map(FindingJson::line).toList());
    optional("source", entry.source().map(FindingJson::line));
    optional("heading", entry.heading().map(FindingJson::line));
    optional("part", entry.part());
    decimal("confidence", entry.confidence().orElse(Double.NaN));
    String content = entry.content();
    String kept = content.substring(0, Math.min(maxText, content.length()));
    text("text", kept);
    json.writeNumberField("textOmitted", content.length() - kept.length());
  }
}
