package dev.helixbg.insight.report;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Script;
import dev.helixbg.insight.notes.NotesAccount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A report as words and numbers, ready to be set in a format: renderers never compute. All texts in
 * it passed {@link PrintableText}.
 *
 * @param firstLook what is still to come; nothing where the report is whole
 * @param lead the outcome in one or two sentences
 * @param about what the report is on
 * @param damage what of the log, and of the notes that it was made of, could not be read
 * @param memory what agents load; nothing where no note is a memory file
 * @param facts of the knowledge base, the headline numbers
 * @param judged what a language model adds
 * @param copies nothing where there are none
 * @param reviews what was found over time
 * @param sources nothing where no folders of sources are named
 */
record ReportView(
    String program,
    String model,
    String asOf,
    Optional<String> firstLook,
    String lead,
    List<DistributionView.Fact> facts,
    String about,
    Optional<String> folder,
    List<PlacesSection> damage,
    Optional<PlacesSection> memory,
    JudgedSections judged,
    Optional<ReviewSection> reviews,
    GraphView graph,
    Optional<DistributionView> distribution,
    Optional<FindingSection<FindingSection.GroupView>> copies,
    PairSection relations,
    FindingSection<FindingSection.OverlapView> overlaps,
    FindingSection<FindingSection.MisfiledView> misfiled,
    Optional<FindingSection<FindingSection.MovedSourceView>> sources,
    Optional<FindingSection<FindingSection.SecretView>> secrets,
    TopicSection topics) {
  /**
   * The topics themselves, by name.
   *
   * @param cutWords says that only the largest are listed; or nothing
   */
  record TopicSection(String total, List<TopicView> rows, Optional<String> cutWords) {
    private static final int LISTED = 500;

    static TopicSection of(List<Findings.Topic> topics) {
      int total = topics.size();
      return new TopicSection(
          NumberWords.count(total),
          largest(topics).stream().map(TopicView::of).toList(),
          NumberWords.shownOf("largest", LISTED, total, "; all are in report.json."));
    }

    private static List<Findings.Topic> largest(List<Findings.Topic> topics) {
      return topics.size() <= LISTED
          ? topics
          : topics.stream()
              .sorted(Comparator.comparingInt(Findings.Topic::entries).reversed())
              .limit(LISTED)
              .sorted(Comparator.comparing(Findings.Topic::name))
              .toList();
    }
  }

  static ReportView of(Report report) {
    Findings findings = report.findings();
    InsightSettings limits = findings.limits();
    Judgements judgements = report.judgements();
    return new ReportView(
        "helix-bg " + PrintableText.line(report.run().version()),
        PrintableText.line(report.run().embeddingModel()),
        report.asOf().map(NumberWords::date).orElse("unknown"),
        report.firstLook().map(FirstLook::words),
        lead(report),
        facts(report),
        report.notes().isPresent() ? "folder of notes" : "helix knowledge base",
        report.notes().map(notes -> PrintableText.line(notes.name())),
        Stream.concat(
                Stream.of(PlacesSection.of(report.log())),
                report.notes().stream().map(notes -> PlacesSection.of(notes.account())))
            .filter(section -> !section.places().isEmpty())
            .toList(),
        report
            .notes()
            .map(notes -> notes.account().memory())
            .filter(files -> !files.isEmpty())
            .map(files -> PlacesSection.ofMemory(files, report.savings())),
        JudgedSections.of(findings, judgements),
        Optional.of(ReviewSection.of(report.reviews(), report.log().sha256()))
            .filter(section -> !section.reviews().isEmpty()),
        GraphView.of(findings),
        Optional.of(DistributionView.of(findings.distribution(), limits))
            .filter(section -> !section.bars().isEmpty()),
        Optional.of(FindingSection.copies(findings)).filter(section -> !section.isEmpty()),
        PairSection.of(findings, judgements),
        FindingSection.overlaps(findings, limits),
        FindingSection.misfiled(findings, limits, judgements),
        Optional.of(report.sources())
            .filter(sources -> !sources.folders().isEmpty() || !sources.moved().isEmpty())
            .map(sources -> FindingSection.sources(sources, judgements)),
        Optional.of(report.secrets())
            .filter(secrets -> !secrets.isEmpty())
            .map(secrets -> FindingSection.secrets(secrets, judgements)),
        TopicSection.of(findings.topics()));
  }

  boolean isEmpty() {
    return topics.rows().isEmpty();
  }

  /** Else there is nothing to say of topics beside each other. */
  boolean hasSeveralTopics() {
    return topics.rows().size() > 1 || !overlaps.isEmpty() || !misfiled.isEmpty();
  }

  private static String lead(Report report) {
    Findings findings = report.findings();
    Judgements judgements = report.judgements();
    if (findings.entries().isEmpty()) {
      return "This knowledge base has no entries yet. Once helix has stored some, the next run"
          + " compares them and lists here what is said twice, what belongs together, and what may"
          + " be filed under the wrong topic.";
    }
    Findings.Totals totals = findings.totals();
    int overlaps = findings.topicOverlaps().size();
    List<String> found = new ArrayList<>();
    found(found, findings.copies().size(), "group", "groups", " of exact copies");
    found(found, overlaps, "pair of overlapping topics", "pairs of overlapping topics", "");
    found(found, totals.misfiled(), "entry", "entries", " that may be under the wrong topic");
    int moved = report.sources().moved().size();
    found(found, moved, "mention", "mentions", " of source code that is otherwise by now");
    int lessons = judgements.lessons().areGuesses() ? 0 : judgements.lessons().all().size();
    found(found, lessons, "lesson", "lessons", " that several entries teach");
    found(found, report.secrets().size(), "entry", "entries", " with a secret");
    if (found.isEmpty() && findings.relations().isEmpty()) {
      return "Nothing was found: no entry is near another, no topics overlap, and every entry is"
          + " nearest to its own topic.";
    }
    List<String> sentences = new ArrayList<>();
    if (!findings.relations().isEmpty()) {
      sentences.add(candidates(JudgedRelations.of(findings.relations(), judgements)));
      sentences.add(judged(JudgedRelations.of(findings.relations(), judgements), judgements));
      byAgents(findings.relations(), judgements.agents()).ifPresent(sentences::add);
    }
    long unreadable =
        findings.entries().stream()
            .filter(named -> Script.isUnreadable(named.entry().text().content()))
            .count();
    if (unreadable > 0) {
      sentences.add(
          NumberWords.count(unreadable, "entry is", "entries are")
              + " in a script that the bundled models cannot read: of pairs with "
              + (unreadable == 1 ? "it" : "them")
              + " none leads.");
    }
    if (!found.isEmpty()) {
      String last = found.removeLast();
      sentences.add(
          "Also found: "
              + (found.isEmpty() ? "" : String.join(", ", found) + ", and ")
              + last
              + ".");
    }
    return String.join(" ", sentences);
  }

  /** What leads, and out of how many: most of a long list is not worth an act. */
  private static String candidates(JudgedRelations pairs) {
    int leading = pairs.leading().size();
    String candidates =
        NumberWords.count(pairs.ranked(), "candidate pair", "candidate pairs")
            + " of entries "
            + (pairs.ranked() == 1 ? "was" : "were")
            + " ranked";
    long read = pairs.read();
    String by =
        read == 0
            ? ""
            : ", "
                + (read == pairs.ranked() ? "all" : "the first " + NumberWords.count(read))
                + " of them by the pair judge, which has read them";
    if (leading == 0) {
      return candidates + by + "; none leads, for none is likely to be worth an act.";
    }
    String leads =
        leading == pairs.ranked()
            ? candidates + by + ", the likeliest first."
            : candidates
                + by
                + "; "
                + NumberWords.count(leading, "leads", "lead")
                + " as most worth doing. Further down, fewer are worth an act.";
    return read == 0 ? leads : leads + " " + JudgementWords.RIGHT;
  }

  private static String judged(JudgedRelations pairs, Judgements judgements) {
    if (pairs.judgedCount() == 0) {
      return "No language model has judged them.";
    }
    String judged = "A language model has judged " + NumberWords.count(pairs.judgedCount());
    return judgements.areGuesses()
        ? judged + " of them. " + JudgeTrust.GUESSING
        : judged
            + " of them: "
            + NumberWords.count(pairs.of(Verdict.SAME).size(), "pair says", "pairs say")
            + " the same, and "
            + NumberWords.count(pairs.of(Verdict.OVERTAKEN).size(), "pair has", "pairs have")
            + " an entry that the newer one has overtaken."
            + (judgements.decide() ? "" : " " + JudgeTrust.UNMEASURED);
  }

  /** Verdicts of the coding agents that count. */
  private static Optional<String> byAgents(List<Finding.Relation> pairs, AgentSayings agents) {
    List<Verdict> verdicts = pairs.stream().flatMap(pair -> agents.verdict(pair).stream()).toList();
    long acts =
        verdicts.stream()
            .filter(verdict -> verdict == Verdict.SAME || verdict == Verdict.OVERTAKEN)
            .count();
    return verdicts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Your coding agent has read "
                + NumberWords.count(verdicts.size())
                + " of them, and calls "
                + NumberWords.count(acts)
                + " the same or overtaken, which lead.");
  }

  private static void found(List<String> list, long count, String one, String many, String what) {
    if (count > 0) {
      list.add(NumberWords.count(count, one, many) + what);
    }
  }

  private static List<DistributionView.Fact> facts(Report report) {
    Findings findings = report.findings();
    int entries = findings.entries().size();
    int topics = findings.topics().size();
    return Stream.concat(
            report.notes().stream().map(notes -> files(notes.account())),
            Stream.of(
                new DistributionView.Fact(
                    NumberWords.count(entries), entries == 1 ? "entry" : "entries"),
                new DistributionView.Fact(
                    NumberWords.count(topics), topics == 1 ? "topic" : "topics")))
        .toList();
  }

  private static DistributionView.Fact files(NotesAccount notes) {
    return new DistributionView.Fact(
        NumberWords.count(notes.files()),
        (notes.files() == 1 ? "note" : "notes")
            + (notes.empty() == 0 ? "" : ", " + NumberWords.count(notes.empty()) + " empty"));
  }
}
