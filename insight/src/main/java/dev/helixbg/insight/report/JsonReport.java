package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.helixbg.config.text.PrintableStream;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;

/** The file report.json, with fields of limited length. docs/report-schema.md describes it. */
public final class JsonReport extends FindingJson {
  private JsonReport(JsonGenerator json, Report report) {
    super(json, report);
  }

  /** Writes the report to a stream, which stays open. */
  public static void write(Report report, OutputStream out) throws IOException {
    DefaultIndenter lines = new DefaultIndenter("  ", "\n");
    Separators separators =
        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(separators).withObjectIndenter(lines).withArrayIndenter(lines);
    try (JsonGenerator json = new JsonFactory().createGenerator(PrintableStream.json(out))) {
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.setPrettyPrinter(printer);
      new JsonReport(json, report).report();
      json.writeRaw('\n');
    }
  }

  private void report() throws IOException {
    json.writeStartObject();
    json.writeNumberField("schema", Report.SCHEMA);
    json.writeStringField("program", "helix-bg");
    text("version", report.run().version());
    text("embeddingModel", report.run().embeddingModel());
    optional("asOf", report.asOf());
    object("firstLook", report.firstLook().orElse(null), this::firstLook);
    object("log", report.log(), this::log);
    if (report.notes().isPresent()) {
      object("notes", report.notes().get(), this::notes);
    }
    object("totals", report, this::totals);
    judgement();
    list("topics", findings.topics(), this::topic);
    texts("leading", leading());
    list("sources", report.sources().folders(), this::folder);
    list("copies", findings.copies(), this::copies);
    list(ReportedFinding.RELATIONS, findings.relations(), this::relation);
    list("topicOverlaps", findings.topicOverlaps(), this::overlap);
    list(ReportedFinding.MOVED_SOURCES, moved(), this::movedSource);
    list(ReportedFinding.LESSONS, judgements.lessons().all(), this::lesson);
    list("secrets", secrets(), this::secret);
    list("merges", judgements.merges(), this::merge);
    list("entries", findings.entries(), this::indexed);
    json.writeEndObject();
  }

  private void firstLook(FirstLook look) throws IOException {
    json.writeNumberField("unread", look.unread());
    json.writeNumberField("entries", look.entries());
    json.writeNumberField("passages", look.passages());
    json.writeNumberField("pairs", look.pairs());
    json.writeNumberField("questions", look.questions());
  }

  private void judgement() throws IOException {
    optional("languageModel", judgements.model());
    json.writeObjectFieldStart("judgement");
    json.writeObjectFieldStart("left");
    for (QuestionKind job : QuestionKind.values()) {
      if (job != QuestionKind.OVERTAKEN) { // counted as part of the pairs
        json.writeNumberField(job.title(), judgements.left().getOrDefault(job, 0));
      }
    }
    json.writeEndObject();
    object("trust", judgements.trust().orElse(null), this::trust);
    list("agents", judgements.agents().clients(), this::agent);
    object("lessonTrust", judgements.lessons().trust().orElse(null), this::lessonTrust);
    json.writeEndObject();
  }

  private void trust(JudgeTrust trust) throws IOException {
    measured(trust);
    json.writeBooleanField("guessing", trust.isGuessing());
  }

  private void measured(JudgeTrust trust) throws IOException {
    json.writeNumberField("pairs", trust.pairs());
    json.writeNumberField("right", trust.right());
    decimal("kappa", trust.kappa());
  }

  private void agent(AgentSayings.Trust trust) throws IOException {
    text("client", trust.client());
    json.writeNumberField("answers", trust.answers());
    measured(trust.known());
    json.writeNumberField("hasty", trust.hasty());
    json.writeBooleanField("measured", trust.isMeasured());
    json.writeBooleanField("guessing", trust.isGuessing());
  }

  private void lessonTrust(Judgements.LessonTrust trust) throws IOException {
    json.writeNumberField("entries", trust.entries());
    json.writeNumberField("right", trust.right());
    json.writeNumberField("pairs", trust.pairs());
    json.writeNumberField("rightPairs", trust.rightPairs());
    json.writeBooleanField("guessing", trust.isGuessing());
  }

  private void indexed(NamedEntry named) throws IOException {
    named(named);
    optional("label", judgements.label(named).map(Label::title));
    object("guess", judgements.guesses().get(named.key()), this::guess);
  }

  private void guess(LabelGuess guess) throws IOException {
    text("label", guess.label().title());
    text("origin", guess.origin().name());
    decimal("score", guess.score());
    json.writeBooleanField("sure", guess.sure());
  }

  private void log(LogAccount log) throws IOException {
    json.writeNumberField("bytes", log.bytes());
    text("sha256", log.sha256());
    json.writeNumberField("entryRecords", log.entries());
    json.writeNumberField("deleteRecords", log.deletes());
    json.writeNumberField("liveEntries", log.live());
    list("damage", log.damage(), this::damage);
  }

  private void notes(Report.NotesFolder folder) throws IOException {
    NotesAccount notes = folder.account();
    text("folder", folder.name());
    json.writeNumberField("files", notes.files());
    json.writeNumberField("entries", notes.entries());
    json.writeNumberField("empty", notes.empty());
    object("leftOut", notes.leftOut(), this::leftOut);
    object("repaired", notes.repaired(), this::leftOut);
    Map<String, Integer> savings = notes.memory().isEmpty() ? Map.of() : report.savings(pairs);
    list("memory", notes.memory(), file -> memory(file, savings.getOrDefault(file.path(), 0)));
  }

  private void memory(MemoryFile file, int saved) throws IOException {
    text("path", file.path());
    text("cut", file.cut());
    json.writeNumberField("entries", file.entries());
    json.writeNumberField("lines", file.lines());
    json.writeNumberField("characters", file.characters());
    json.writeNumberField("tokens", file.tokens());
    json.writeNumberField("tokensSaved", saved);
    optional("overBound", file.overBound());
  }

  private void leftOut(LeftOut some) throws IOException {
    json.writeNumberField("total", some.total());
    list(
        "files",
        some.files(),
        file -> {
          text("path", file.path());
          text("why", file.why());
        });
  }

  private void damage(LogAccount.Damage damage) throws IOException {
    json.writeNumberField("offset", damage.offset());
    json.writeNumberField("unreadableBytes", damage.unreadable());
    json.writeStringField("kind", damage.kind().name());
    text("detail", damage.detail());
  }

  private void totals(Report report) throws IOException {
    json.writeNumberField("entries", findings.entries().size());
    json.writeNumberField("topics", findings.topics().size());
    json.writeNumberField("pairs", findings.pairs());
    json.writeNumberField("relations", pairs.ranked());
    json.writeNumberField("judgedRelations", pairs.judgedCount());
    json.writeNumberField("copies", findings.copies().size());
    json.writeNumberField("topicOverlaps", findings.topicOverlaps().size());
    json.writeNumberField("movedSources", report.sources().moved().size());
    json.writeNumberField("secrets", report.secrets().size());
  }

  private void topic(Findings.Topic topic) throws IOException {
    text("name", topic.name());
    json.writeNumberField("entries", topic.entries());
    optional(
        "summary",
        Optional.ofNullable(judgements.summaries().get(topic.name())).map(FindingJson::line));
  }

  private void folder(SourceCheckResult.Folder folder) throws IOException {
    text("name", folder.name());
    optional("commit", folder.commit());
    optional("trouble", folder.trouble());
  }
}
