package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.notes.NotesAccount;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A report as texts and numbers. A renderer only prints them and computes nothing. All texts have
 * passed {@link PrintableText}.
 *
 * @param firstLook text about what is missing in an early report; empty for a complete report
 * @param about {@code folder of notes} or {@code helix knowledge base}
 * @param size size of the knowledge base, with the time of its newest entry
 * @param damage unreadable parts of the log and the notes
 * @param judge name of the language model: the name of its file without the ending
 */
record ReportView(
    String program,
    String model,
    Optional<String> firstLook,
    Headline headline,
    String about,
    Optional<String> folder,
    String again,
    String size,
    List<PlacesSection> damage,
    LeadingSection leading,
    List<FoldedSection> folded,
    Optional<PlacesSection> memory,
    TopicSection topics,
    String judgeNote,
    Optional<String> judge) {
  /** The topics, ordered by name; {@code cutWords} says that only the largest are listed. */
  record TopicSection(String total, List<TopicView> rows, Optional<String> cutWords) {
    private static final int LISTED = 500;

    static TopicSection of(List<Findings.Topic> topics, Judgements judgements) {
      return new TopicSection(
          NumberWords.count(topics.size()),
          topics.stream()
              .sorted(Comparator.comparingInt(Findings.Topic::entries).reversed())
              .limit(LISTED)
              .sorted(Comparator.comparing(Findings.Topic::name))
              .map(topic -> TopicView.of(topic, judgements))
              .toList(),
          Optional.of("Only the largest topics are listed; report.json has all topics.")
              .filter(_ -> topics.size() > LISTED));
    }

    boolean haveSentences() {
      return rows.stream().anyMatch(row -> row.sentence().isPresent());
    }
  }

  record TopicView(String name, String entries, Optional<String> sentence) {
    static TopicView of(Findings.Topic topic, Judgements judgements) {
      String summary = judgements.summaries().getOrDefault(topic.name(), "");
      return new TopicView(
          NameView.label(topic.name()),
          NumberWords.count(topic.entries()),
          Optional.of(PrintableText.excerpt(summary, 600)).filter(text -> !text.isEmpty()));
    }
  }

  static ReportView of(Report report) {
    Findings findings = report.findings();
    Judgements judgements = report.judgements();
    JudgedRelations judged = JudgedRelations.of(findings.relations(), judgements);
    LeadingSection leading = LeadingSection.of(report, judged);
    List<FoldedSection> others = FoldedSection.others(report);
    return new ReportView(
        "helix-bg " + PrintableText.line(report.run().version()),
        PrintableText.line(report.run().embeddingModel()),
        report.firstLook().map(FirstLook::words),
        Headline.of(report, judged, others),
        report.notes().isPresent() ? "folder of notes" : "helix knowledge base",
        report.notes().map(notes -> PrintableText.line(notes.name())),
        // A backquote would end the code in Markdown.
        report.notes().map(it -> " " + PrintableText.line(it.again()).replace('`', '?')).orElse(""),
        size(report),
        Stream.concat(
                Stream.of(PlacesSection.of(report.log())),
                report.notes().stream().map(notes -> PlacesSection.of(notes.account())))
            .filter(section -> !section.places().isEmpty())
            .toList(),
        leading,
        Stream.concat(
                Stream.of(FoldedSection.pairs(report, judged))
                    .filter(one -> !one.lines().isEmpty()),
                others.stream())
            .toList(),
        report
            .notes()
            .map(notes -> notes.account().memory())
            .filter(files -> !files.isEmpty())
            .map(files -> PlacesSection.ofMemory(files, report.savings(judged))),
        TopicSection.of(findings.topics(), judgements),
        judgeNote(judgements),
        judgements.model().map(PrintableText::line).filter(name -> !name.isEmpty()));
  }

  boolean isEmpty() {
    return topics.rows().isEmpty();
  }

  boolean hasSeveralTopics() {
    return topics.rows().size() > 1;
  }

  private static String size(Report report) {
    Findings findings = report.findings();
    return report.notes().map(notes -> files(notes.account()) + ", ").orElse("")
        + NumberWords.entriesIn(findings.entries().size(), findings.topics().size())
        + report.asOf().map(at -> ", the newest of " + NumberWords.date(at)).orElse("");
  }

  private static String files(NotesAccount notes) {
    return NumberWords.count(notes.files(), "note", "notes")
        + (notes.empty() == 0 ? "" : " (" + NumberWords.count(notes.empty()) + " empty)");
  }

  private static String judgeNote(Judgements judgements) {
    String agents =
        judgements.agents().clients().stream()
            .map(trust -> " " + PrintableText.line(trust.words()))
            .collect(Collectors.joining());
    return ofModel(judgements) + agents;
  }

  private static String ofModel(Judgements judgements) {
    if (judgements.model().isEmpty()) {
      return "No language model was used. A language model would judge whether the entries of each"
          + " pair state the same, are related or have nothing in common. It would also sum"
          + " up each topic in a sentence, name recurring lessons, and label entries by"
          + " reading them. The command 'helix-bg fetch-models' downloads a suitable model:"
          + " Qwen3-0.6B, about half a gigabyte. The model runs on this machine, like"
          + " everything here. A coding agent that is connected over MCP does the same with"
          + " the prompt 'study'.";
    }
    int left = judgements.questionsLeft();
    return Headline.joined(
        "A language model wrote the labels, verdicts and summaries.",
        left > 0
            ? NumberWords.count(left, "question is", "questions are") + " left for the next run."
            : "",
        judgements
            .trust()
            .map(trust -> trust.words() + " " + trust.leads())
            .orElse(JudgeTrust.UNMEASURED));
  }
}
