package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a language model adds to a report, in words: sentences on topics and texts in place of
 * several, with the labels of {@link LabelSection}.
 *
 * @param note who judged, what is still to come, or what a model would add
 * @param model its name, which is its file's own, if it has one
 */
record JudgedSections(
    String note,
    Optional<String> model,
    Optional<SummarySection> summaries,
    Optional<MergeSection> merges,
    Optional<LessonSection> lessons,
    Optional<LabelSection> labels) {

  /** A topic and its sentence. */
  record SummaryRow(String topic, String entries, String sentence) {}

  /** Topics in a sentence each, the largest first. */
  record SummarySection(String total, String intro, FoldableList<SummaryRow> rows) {
    private static final int FIRST = 12;
    private static final int LISTED = 500;

    static SummarySection of(Findings findings, Judgements judgements) {
      List<SummaryRow> rows =
          findings.topics().stream()
              .filter(topic -> !judgements.summaries().getOrDefault(topic.name(), "").isBlank())
              .sorted(
                  Comparator.comparingInt(Findings.Topic::entries)
                      .reversed()
                      .thenComparing(Findings.Topic::name))
              .limit(LISTED)
              .map(
                  topic ->
                      new SummaryRow(
                          TopicView.label(topic.name()),
                          NumberWords.count(topic.entries()),
                          PrintableText.excerpt(judgements.summaries().get(topic.name()), 600)))
              .toList();
      return new SummarySection(
          NumberWords.count(rows.size()),
          "Written by the language model from the entries nearest to the middle of each topic.",
          FoldableList.of(
              rows, FIRST, 3, more -> NumberWords.count(more, "more topic", "more topics")));
    }
  }

  /** Proposals for entries that say the same. */
  record MergeSection(String total, String intro, List<FindingSection.GroupView> rows) {

    static MergeSection of(Judgements judgements) {
      List<FindingSection.GroupView> rows =
          judgements.merges().stream()
              .map(
                  merge ->
                      FindingSection.GroupView.of(
                          merge.id(), merge.entries(), merge.text(), Acts.on(merge)))
              .toList();
      return new MergeSection(
          NumberWords.count(rows.size()),
          "One text for entries that state the same fact, as the language model would write it."
              + " Nobody has checked these, and nothing was changed: compare before you use one.",
          rows);
    }
  }

  /** An entry and its lesson. */
  record LessonMember(String name, String sentence) {}

  /** A lesson that recurs. */
  record LessonRow(
      String id,
      String text,
      String count,
      FoldableList<LessonMember> members,
      List<ActView> acts) {
    private static final int FIRST = 6;

    static LessonRow of(Judgements.Lesson lesson) {
      List<LessonMember> members = new ArrayList<>();
      for (int i = 0; i < lesson.entries().size(); i++) {
        members.add(
            new LessonMember(
                EntryView.name(lesson.entries().get(i)),
                PrintableText.line(lesson.sentences().get(i))));
      }
      return new LessonRow(
          PrintableText.line(lesson.id()),
          PrintableText.line(lesson.text()),
          NumberWords.count(members.size(), "entry", "entries")
              + " of "
              + NumberWords.count(lesson.topics(), "topic", "topics"),
          FoldableList.of(
              members, FIRST, 2, more -> NumberWords.count(more, "more entry", "more entries")),
          ActView.of(Acts.on(lesson)));
    }
  }

  /**
   * Lessons that recur, those of most topics first.
   *
   * @param guessing why it is folded; of a reader that is right often enough, nothing
   */
  record LessonSection(
      String total, String intro, Optional<String> guessing, List<LessonRow> rows) {
    private static final int LISTED = 60;

    static LessonSection of(Judgements.Lessons lessons) {
      int total = lessons.all().size();
      return new LessonSection(
          NumberWords.shownOf(LISTED, total),
          "Entries about different things that teach one lesson. "
              + lessons.reader().map(PrintableText::line).orElse("")
              + " put the lesson of each entry, seen alone, into a sentence, and compared those"
              + " that are near to each other. Under each lesson is what it made of each entry."
              + (total > LISTED ? " More are in report.json." : ""),
          lessons
              .trust()
              .filter(Judgements.LessonTrust::isGuessing)
              .map(Judgements.LessonTrust::words),
          lessons.all().stream().limit(LISTED).map(LessonRow::of).toList());
    }
  }

  static JudgedSections of(Findings findings, Judgements judgements) {
    return new JudgedSections(
        note(judgements),
        judgements.model().map(PrintableText::line).filter(name -> !name.isEmpty()),
        Optional.of(SummarySection.of(findings, judgements))
            .filter(section -> !section.rows().isEmpty()),
        Optional.of(MergeSection.of(judgements)).filter(section -> !section.rows().isEmpty()),
        Optional.of(LessonSection.of(judgements.lessons()))
            .filter(section -> !section.rows().isEmpty()),
        Optional.of(LabelSection.of(findings, judgements))
            .filter(section -> !section.rows().isEmpty()));
  }

  private static String note(Judgements judgements) {
    String agents =
        judgements.agents().clients().stream()
            .map(trust -> " " + PrintableText.line(trust.words()))
            .collect(Collectors.joining());
    return ofModel(judgements) + agents;
  }

  private static String ofModel(Judgements judgements) {
    if (judgements.model().isEmpty()) {
      return "No language model was used. One would say of each pair whether both entries state the"
          + " same, are related or have nothing in common, put each topic into a sentence,"
          + " name lessons that recur, and label entries by reading them. helix-bg"
          + " fetch-models gets one that fits: Qwen3-0.6B, about half a gigabyte. It runs on"
          + " this machine, like everything here.";
    }
    StringBuilder note =
        new StringBuilder("Labels, verdicts and summaries are by a language model.");
    if (!judgements.left().isEmpty()) {
      List<String> left = new ArrayList<>();
      for (QuestionKind job : QuestionKind.values()) {
        int count = judgements.left().getOrDefault(job, 0);
        if (count > 0) {
          left.add(words(job, count));
        }
      }
      note.append(" Not everything was asked yet: ")
          .append(String.join(", ", left))
          .append(" are left for the next run.");
    }
    judgements
        .trust()
        .ifPresentOrElse(
            trust -> note.append(' ').append(trust.words()).append(' ').append(trust.leads()),
            () -> note.append(' ').append(JudgeTrust.UNMEASURED));
    if (judgements.cut() > 0) {
      note.append(' ')
          .append(NumberWords.count(judgements.cut(), "answer is", "answers are"))
          .append(" about the beginning of a long text only.");
    }
    return note.toString();
  }

  private static String words(QuestionKind job, int count) {
    return switch (job) {
      case LABEL -> NumberWords.count(count, "label", "labels");
      case PAIR, OVERTAKEN -> NumberWords.count(count, "verdict", "verdicts");
      case TOPICS -> NumberWords.count(count, "verdict on topics", "verdicts on topics");
      case SUMMARY, SESSION -> NumberWords.count(count, "summary", "summaries");
      case LESSON -> NumberWords.count(count, "lesson", "lessons");
      case RULE -> NumberWords.count(count, "pair of lessons", "pairs of lessons");
      case MERGE -> NumberWords.count(count, "proposed text", "proposed texts");
    };
  }
}
