package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Guess;
import dev.helixbg.insight.judge.Job;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Label;
import dev.helixbg.insight.judge.LabelCensus;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.review.Review;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The report for programs, as docs/report-schema.md describes it: UTF-8, fields always in the same
 * order.
 */
public final class JsonReport {
  /** A text is cut after so many characters (UTF-16 units); the report is no copy of the log. */
  static final int MAX_TEXT = 20_000;

  private final JsonGenerator json;
  private final Findings findings;
  private final Judgements judgements;

  private JsonReport(JsonGenerator json, Report report) {
    this.json = json;
    findings = report.findings();
    judgements = report.judgements();
  }

  public static byte[] render(Report report) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
    try {
      write(report, out);
    } catch (IOException e) {
      throw new AssertionError("a byte array takes everything", e);
    }
    return out.toByteArray();
  }

  /** Writes the same bytes as {@link #render}, and leaves the stream open. */
  public static void write(Report report, OutputStream out) throws IOException {
    DefaultIndenter lines = new DefaultIndenter("  ", "\n");
    Separators separators =
        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(separators).withObjectIndenter(lines).withArrayIndenter(lines);
    JsonFactory factory = new JsonFactory();
    factory.setCharacterEscapes(new VisibleEscapes());
    try (JsonGenerator json = factory.createGenerator(out)) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.setPrettyPrinter(printer);
      new JsonReport(json, report).report(report);
      json.writeRaw('\n');
    }
  }

  private void report(Report report) throws IOException {
    json.writeStartObject();
    json.writeNumberField("schema", Report.SCHEMA);
    json.writeStringField("program", "helix-bg");
    text("version", report.run().version());
    text("embeddingModel", report.run().embeddingModel());
    json.writeFieldName("asOf");
    Optional<LocalDateTime> asOf = report.asOf();
    if (asOf.isPresent()) {
      json.writeString(asOf.get().toString());
    } else {
      json.writeNull();
    }
    log(report.log());
    limits(findings.limits());
    totals(findings);
    distribution(findings.distribution());
    judgement();
    list("topics", findings.topics(), this::topic);
    list("nearDuplicates", findings.nearDuplicates(), this::pair);
    list("topicOverlaps", findings.topicOverlaps(), this::overlap);
    list("crossLinks", findings.crossLinks(), this::pair);
    list("misfiled", findings.misfiled(), this::misfiled);
    list("merges", judgements.merges(), this::merge);
    list("reviews", report.reviews(), this::review);
    list("labels", findings.entries(), this::label);
    json.writeEndObject();
  }

  private void judgement() throws IOException {
    LabelCensus census = LabelCensus.of(findings.entries(), judgements);
    optional("languageModel", judgements.model());
    json.writeObjectFieldStart("judgement");
    json.writeObjectFieldStart("left");
    for (Job job : Job.values()) {
      json.writeNumberField(job.title(), judgements.left().getOrDefault(job, 0));
    }
    json.writeEndObject();
    json.writeNumberField("cut", judgements.cut());
    json.writeNumberField("tagged", census.tagged());
    json.writeNumberField("agreeing", census.agreeing());
    json.writeEndObject();
  }

  private void merge(Judgements.Merge merge) throws IOException {
    json.writeStartObject();
    text("id", merge.id());
    list("entries", merge.entries(), named -> json.writeString(SafeText.wellFormed(named.name())));
    text("proposedText", merge.text());
    json.writeEndObject();
  }

  private void review(Review review) throws IOException {
    json.writeStartObject();
    json.writeStringField("kind", review.kind().title());
    json.writeStringField("at", review.at().toString());
    text("logSha256", cut(review.logSha256()));
    optional("languageModel", review.judge().map(JsonReport::cut));
    text("summary", cut(review.summary()));
    list("items", review.items(), this::item);
    json.writeEndObject();
  }

  private void item(Review.Item item) throws IOException {
    json.writeStartObject();
    text("relation", cut(item.relation()));
    text("a", cut(item.a()));
    optional("b", Optional.of(cut(item.b())).filter(b -> !b.isEmpty()));
    decimal("similarity", item.b().isEmpty() ? Double.NaN : item.similarity());
    optional("verdict", Optional.of(cut(item.verdict())).filter(v -> !v.isEmpty()));
    text("text", cut(item.text()));
    json.writeEndObject();
  }

  /** The history is a file that others may write, too. */
  private static String cut(String text) {
    return text.substring(0, Math.min(MAX_TEXT, text.length()));
  }

  private void label(NamedEntry named) throws IOException {
    Guess guess = judgements.guesses().get(named.key());
    json.writeStartObject();
    text("name", named.name());
    text("key", named.key());
    optional("label", judgements.label(named).map(Label::title));
    json.writeFieldName("guess");
    if (guess == null) {
      json.writeNull();
    } else {
      json.writeStartObject();
      text("label", guess.label().title());
      text("origin", guess.origin().name());
      decimal("score", guess.score());
      text("runnerUp", guess.runnerUp().title());
      decimal("runnerUpScore", guess.runnerUpScore());
      json.writeBooleanField("sure", guess.sure());
      json.writeBooleanField("cut", guess.cut());
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private void verdict(PairVerdict verdict) throws IOException {
    json.writeFieldName("verdict");
    if (verdict == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    text("verdict", verdict.verdict().title());
    decimal("probability", verdict.probability());
    decimal("same", verdict.same());
    decimal("related", verdict.related());
    json.writeBooleanField("cut", verdict.cut());
    json.writeEndObject();
  }

  private void optional(String field, Optional<String> value) throws IOException {
    json.writeFieldName(field);
    if (value.isPresent()) {
      json.writeString(SafeText.wellFormed(value.get()));
    } else {
      json.writeNull();
    }
  }

  private void log(LogAccount log) throws IOException {
    json.writeObjectFieldStart("log");
    json.writeNumberField("bytes", log.bytes());
    text("sha256", log.sha256());
    json.writeNumberField("entryRecords", log.entries());
    json.writeNumberField("deleteRecords", log.deletes());
    json.writeNumberField("liveEntries", log.live());
    list("damage", log.damage(), this::damage);
    json.writeEndObject();
  }

  private void damage(LogAccount.Damage damage) throws IOException {
    json.writeStartObject();
    json.writeNumberField("offset", damage.offset());
    json.writeNumberField("unreadableBytes", damage.unreadable());
    json.writeStringField("kind", damage.kind().name());
    text("detail", damage.detail());
    json.writeEndObject();
  }

  private void limits(InsightSettings limits) throws IOException {
    json.writeObjectFieldStart("limits");
    decimal("topicOverlap", limits.topicOverlap());
    decimal("nearDuplicate", limits.nearDuplicate());
    json.writeNumberField("maxNearDuplicates", limits.maxNearDuplicates());
    decimal("crossLinkFrom", limits.crossLinkFrom());
    json.writeNumberField("maxCrossLinks", limits.maxCrossLinks());
    decimal("misfiledMargin", limits.misfiledMargin());
    json.writeNumberField("maxMisfiled", limits.maxMisfiled());
    json.writeEndObject();
  }

  private void totals(Findings findings) throws IOException {
    Findings.Totals totals = findings.totals();
    json.writeObjectFieldStart("totals");
    json.writeNumberField("entries", findings.entries().size());
    json.writeNumberField("topics", findings.topics().size());
    json.writeNumberField("pairs", totals.pairs());
    json.writeNumberField("nearDuplicates", totals.nearDuplicates());
    json.writeNumberField("topicOverlaps", findings.topicOverlaps().size());
    json.writeNumberField("crossLinks", totals.crossLinks());
    json.writeNumberField("misfiled", totals.misfiled());
    json.writeEndObject();
  }

  private void distribution(Findings.Distribution distribution) throws IOException {
    json.writeObjectFieldStart("distribution");
    json.writeNumberField("pairs", distribution.pairs());
    json.writeBooleanField("sampled", distribution.sampled());
    decimal("median", distribution.median());
    decimal("p90", distribution.p90());
    decimal("p99", distribution.p99());
    decimal("p999", distribution.p999());
    decimal("medianNearest", distribution.medianNearest());
    decimal("histogramFrom", distribution.histogramFrom());
    json.writeFieldName("histogram");
    // In one line: sixty lines of one number each are for nobody.
    json.writeRawValue(Arrays.toString(distribution.histogram()));
    json.writeEndObject();
  }

  private void topic(Findings.Topic topic) throws IOException {
    json.writeStartObject();
    text("name", topic.name());
    json.writeNumberField("entries", topic.entries());
    decimal("cohesion", topic.cohesion());
    optional("summary", Optional.ofNullable(judgements.summaries().get(topic.name())));
    json.writeEndObject();
  }

  private void pair(Finding.Pair pair) throws IOException {
    json.writeStartObject();
    text("id", pair.id());
    decimal("similarity", pair.similarity());
    json.writeNumberField("rank", pair.rank());
    json.writeNumberField("rankOfB", pair.rankOfB());
    json.writeNumberField("rankOfA", pair.rankOfA());
    verdict(judgements.verdicts().get(pair.id()));
    entry("a", pair.a());
    entry("b", pair.b());
    json.writeEndObject();
  }

  private void overlap(Finding.TopicOverlap overlap) throws IOException {
    json.writeStartObject();
    text("id", overlap.id());
    decimal("similarity", overlap.similarity());
    text("a", overlap.a());
    text("b", overlap.b());
    json.writeNumberField("entriesA", overlap.entriesA());
    json.writeNumberField("entriesB", overlap.entriesB());
    json.writeEndObject();
  }

  private void misfiled(Finding.Misfiled misfiled) throws IOException {
    json.writeStartObject();
    text("id", misfiled.id());
    decimal("own", misfiled.own());
    text("nearer", misfiled.nearer());
    decimal("other", misfiled.other());
    entry("entry", misfiled.entry());
    json.writeEndObject();
  }

  private void entry(String field, NamedEntry named) throws IOException {
    EntryText entry = named.entry().text();
    json.writeObjectFieldStart(field);
    text("name", named.name());
    text("topic", named.entry().topic());
    json.writeNumberField("index", named.index());
    json.writeNumberField("offset", named.entry().offset());
    text("key", named.key());
    json.writeFieldName("written");
    if (named.entry().timestampMin() == 0) {
      json.writeNull();
    } else {
      json.writeString(Wording.localTime(named.entry().timestampMin()).toString());
    }
    list("tags", entry.tags(), tag -> json.writeString(SafeText.wellFormed(tag)));
    json.writeFieldName("source");
    if (entry.source().isPresent()) {
      json.writeString(SafeText.wellFormed(entry.source().get()));
    } else {
      json.writeNull();
    }
    decimal("confidence", entry.confidence().orElse(Double.NaN));
    String content = entry.content();
    String kept = content.substring(0, Math.min(MAX_TEXT, content.length()));
    text("text", kept);
    json.writeNumberField("textOmitted", content.length() - kept.length());
    json.writeEndObject();
  }

  private void text(String field, String value) throws IOException {
    json.writeStringField(field, SafeText.wellFormed(value));
  }

  /** Six decimals at most; what is not a number is null. */
  private void decimal(String field, double value) throws IOException {
    json.writeFieldName(field);
    if (Double.isFinite(value)) {
      json.writeNumber(Wording.trimmed(value, 6));
    } else {
      json.writeNull();
    }
  }

  private <T> void list(String field, List<T> items, ItemWriter<T> writer) throws IOException {
    json.writeArrayFieldStart(field);
    for (T item : items) {
      writer.write(item);
    }
    json.writeEndArray();
  }

  private interface ItemWriter<T> {
    void write(T item) throws IOException;
  }
}
