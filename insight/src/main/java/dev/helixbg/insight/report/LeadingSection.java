package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The top section of a report: exact copies, then pairs of entries. */
record LeadingSection(List<CopiesView> copies, List<FilePairs> pairs) {
  static final int MAX_COPIES = 10;

  /** Maximum number of entries of a group that are named. */
  private static final int NAMED = 8;

  /** An act on a finding. {@code condition} tells when the act is right, and ends with a colon. */
  record ActView(String condition, String words) {
    static List<ActView> of(List<Act> ways) {
      List<ActView> views = new ArrayList<>();
      for (Act way : ways) {
        String form =
            ways.size() > 1
                ? "If %s:"
                : way.when().contains(Act.When.OVERLAP)
                    ? "Check whether %s. If so:"
                    : "What to do:";
        String conditions = String.join(", or ", way.when().stream().map(Act.When::words).toList());
        views.add(new ActView(form.formatted(conditions), PrintableText.line(way.words())));
      }
      return views;
    }
  }

  /** Entries with the same text; {@code moreWords} tells how many of them are not named. */
  record CopiesView(
      String id,
      String count,
      EntryView entry,
      List<NameView> others,
      Optional<String> moreWords,
      List<ActView> acts) {

    static CopiesView of(Finding.Copies copies) {
      List<NamedEntry> entries = copies.entries();
      return new CopiesView(
          PrintableText.line(copies.id()),
          NumberWords.count(entries.size(), "entry has", "entries have"),
          EntryView.of(entries.getFirst()),
          entries.stream().skip(1).limit(NAMED).map(NameView::of).toList(),
          NumberWords.more(entries.size() - 1, NAMED),
          ActView.of(Acts.onCopies(entries)));
    }
  }

  /** A pair. More pairs from the same two files are folded under the label {@code moreWords}. */
  record FilePairs(PairView first, List<PairView> more, Optional<String> moreWords) {
    static FilePairs of(List<PairView> pairs) {
      String words = NumberWords.count(pairs.size() - 1, "more pair", "more pairs");
      return new FilePairs(
          pairs.getFirst(),
          pairs.subList(1, pairs.size()),
          Optional.of(words + " of sections of the same two files").filter(_ -> pairs.size() > 1));
    }
  }

  static LeadingSection of(Report report, JudgedRelations judged) {
    Judgements judgements = report.judgements();
    List<List<NamedEntry>> groups = JudgedRelations.groups(judged.leading(), judgements);
    Map<Object, List<PairView>> byFiles = new LinkedHashMap<>();
    for (Finding.Relation pair : judged.leading()) {
      Object files = pair.files().isPresent() ? pair.files().get() : pair.id();
      byFiles
          .computeIfAbsent(files, _ -> new ArrayList<>())
          .add(PairView.of(pair, group(pair, groups), judgements));
    }
    return new LeadingSection(
        report.findings().copies().stream().limit(MAX_COPIES).map(CopiesView::of).toList(),
        byFiles.values().stream().map(FilePairs::of).toList());
  }

  private static Optional<String> group(Finding.Relation pair, List<List<NamedEntry>> groups) {
    return groups.stream()
        .filter(group -> group.contains(pair.a()) && group.contains(pair.b()))
        .findFirst()
        .map(
            group ->
                group.stream()
                    .limit(NAMED)
                    .map(one -> PrintableText.line(one.name()))
                    .collect(
                        Collectors.joining(
                            ", ",
                            NumberWords.count(group.size()) + " entries may say the same: ",
                            NumberWords.more(group.size(), NAMED).map(" "::concat).orElse(""))));
  }

  boolean isEmpty() {
    return copies.isEmpty() && pairs.isEmpty();
  }
}
