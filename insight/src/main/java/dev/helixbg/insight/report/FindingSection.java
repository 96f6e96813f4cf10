package dev.helixbg.insight.report;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.List;
import java.util.Optional;

/**
 * Findings of one kind.
 *
 * @param total how many there are, and how many of them are listed
 * @param none said instead of a list when there are none
 */
record FindingSection<T>(
    String total, String intro, List<T> rows, Optional<String> cutWords, String none) {
  private static final int OVERLAPS = 60;
  private static final int COPIES = 60;
  private static final int MOVED = 100;
  private static final int NAMED_COPIES = 20;

  /** Entries that one text stands for: what all of them say, or what is proposed for them. */
  record GroupView(
      String id,
      List<String> names,
      Optional<String> moreWords,
      FoldableText text,
      List<ActView> acts) {

    static GroupView of(String id, List<NamedEntry> entries, String text, List<Act> acts) {
      return new GroupView(
          PrintableText.line(id),
          entries.stream().limit(NAMED_COPIES).map(EntryView::name).toList(),
          Optional.of(entries.size() - NAMED_COPIES)
              .filter(more -> more > 0)
              .map(more -> "and " + NumberWords.count(more) + " more"),
          FoldableText.of(text),
          ActView.of(acts));
    }
  }

  /** Two overlapping topics. */
  record OverlapView(
      String id,
      String similarity,
      String a,
      String b,
      String entriesA,
      String entriesB,
      List<ActView> acts) {

    static OverlapView of(Finding.TopicOverlap overlap) {
      return new OverlapView(
          PrintableText.line(overlap.id()),
          NumberWords.similarity(overlap.similarity()),
          TopicView.label(overlap.a()),
          TopicView.label(overlap.b()),
          NumberWords.count(overlap.entriesA(), "entry", "entries"),
          NumberWords.count(overlap.entriesB(), "entry", "entries"),
          ActView.of(Acts.on(overlap)));
    }
  }

  /**
   * An entry that may be under the wrong topic.
   *
   * @param own similarity to its own topic
   * @param other similarity to {@code nearer}
   */
  record MisfiledView(
      String id, EntryView entry, String own, String nearer, String other, List<ActView> acts) {

    static MisfiledView of(Finding.Misfiled misfiled, Judgements judgements) {
      return new MisfiledView(
          PrintableText.line(misfiled.id()),
          EntryView.of(misfiled.entry(), judgements),
          NumberWords.similarity(misfiled.own()),
          TopicView.label(misfiled.nearer()),
          NumberWords.similarity(misfiled.other()),
          ActView.of(Acts.on(misfiled)));
    }
  }

  /**
   * Something that an entry names in source code and that is otherwise by now.
   *
   * @param change what is otherwise, in a word or two
   * @param says all of it in a sentence
   */
  record MovedSourceView(
      String id, EntryView entry, String change, String named, String says, List<ActView> acts) {

    static MovedSourceView of(Finding.MovedSource moved, Judgements judgements) {
      return new MovedSourceView(
          PrintableText.line(moved.id()),
          EntryView.of(moved.entry(), judgements),
          moved.change().title(),
          PrintableText.line(moved.named()),
          PrintableText.line(moved.words()),
          ActView.of(Acts.on(moved)));
    }
  }

  /** An entry that holds a secret. */
  record SecretView(String id, EntryView entry, String says) {

    static SecretView of(Finding.Secret secret, Judgements judgements) {
      return new SecretView(
          PrintableText.line(secret.id()), EntryView.of(secret.entry(), judgements), secret.says());
    }
  }

  static FindingSection<GroupView> copies(Findings findings) {
    int total = findings.copies().size();
    return new FindingSection<>(
        NumberWords.shownOf(COPIES, total),
        "Entries with the very same text: all but one of each group can go. Other sections know"
            + " only one of them.",
        findings.copies().stream()
            .limit(COPIES)
            .map(
                group ->
                    GroupView.of(
                        group.id(),
                        group.entries(),
                        group.entries().getFirst().entry().text().content(),
                        Acts.on(group)))
            .toList(),
        NumberWords.shownOf("largest", COPIES, total, "; all are in report.json."),
        "No two entries have the very same text.");
  }

  static FindingSection<OverlapView> overlaps(Findings findings, InsightSettings limits) {
    String limit = NumberWords.limit(limits.topicOverlap());
    int total = findings.topicOverlaps().size();
    return new FindingSection<>(
        NumberWords.shownOf(OVERLAPS, total),
        "Topics whose entries are about the same things: their centres are more similar than "
            + limit
            + ". One topic may have been split in two, or two may want clearer borders.",
        findings.topicOverlaps().stream().limit(OVERLAPS).map(one -> OverlapView.of(one)).toList(),
        NumberWords.shownOf("strongest", OVERLAPS, total, "; all are in report.json."),
        "No two topics are more similar than " + limit + ". Each has its own ground.");
  }

  static FindingSection<MisfiledView> misfiled(
      Findings findings, InsightSettings limits, Judgements judgements) {
    int total = findings.totals().misfiled();
    int shown = findings.misfiled().size();
    return new FindingSection<>(
        NumberWords.shownOf(shown, total),
        "Entries that are nearer to the centre of another topic than to that of their own, by at"
            + " least "
            + NumberWords.limit(limits.misfiledMargin())
            + ". They may be easier to find over there.",
        findings.misfiled().stream().map(one -> MisfiledView.of(one, judgements)).toList(),
        NumberWords.shownOf("clearest", shown, total, "."),
        "Every entry is nearest to its own topic, or nearly so.");
  }

  static FindingSection<MovedSourceView> sources(SourceCheckResult sources, Judgements judgements) {
    int total = sources.moved().size();
    return new FindingSection<>(
        NumberWords.shownOf(MOVED, total),
        "Files, identifiers and lines that entries name and that are gone or others by now. "
            + looked(sources),
        sources.moved().stream()
            .limit(MOVED)
            .map(one -> MovedSourceView.of(one, judgements))
            .toList(),
        NumberWords.shownOf("first", MOVED, total, "; more are in report.json."),
        "Nothing that entries name is known to have moved. " + looked(sources));
  }

  static FindingSection<SecretView> secrets(List<Finding.Secret> secrets, Judgements judgements) {
    return new FindingSection<>(
        NumberWords.shownOf(MOVED, secrets.size()),
        "Entries that hold a password, key or token. It is masked here, not in the entry: remove it"
            + " there, and have a new one issued.",
        secrets.stream().limit(MOVED).map(one -> SecretView.of(one, judgements)).toList(),
        NumberWords.shownOf("first", MOVED, secrets.size(), "; more are in report.json."),
        "");
  }

  /** Which folders were looked at, and which could not be. */
  private static String looked(SourceCheckResult sources) {
    return sources.folders().stream()
        .map(
            folder ->
                PrintableText.line(folder.name())
                    + folder.commit().map(commit -> " at commit " + commit).orElse("")
                    + folder.trouble().map(why -> " was not looked at: " + why).orElse(""))
        .reduce((one, other) -> one + ". " + other)
        .map(all -> "Sources: " + all + ".")
        .orElse("");
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The first of them, the others behind a fold. */
  FoldableList<T> folded() {
    return FoldableList.of(rows, 10, 3, more -> NumberWords.count(more) + " more, less clear");
  }
}
