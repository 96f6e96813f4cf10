package dev.helixbg.insight.report;

import java.util.ArrayList;
import java.util.List;

/** The report for a Markdown viewer or a plain terminal. */
public final class MarkdownReport {
  /** A longer list says no more. */
  private static final int OWN_WORDS = 40;

  private final StringBuilder out = new StringBuilder(1 << 14);

  private MarkdownReport() {}

  public static String render(Report report) {
    return new MarkdownReport().report(ReportView.of(report));
  }

  private String report(ReportView view) {
    heading("# Insights", "");
    paragraph(view.lead());
    if (view.isEmpty()) {
      damage(view.damage());
      footer(view);
      return out.toString();
    }
    facts(view);
    paragraph(view.judged().note() + modelName(view.judged().model()));
    damage(view.damage());
    relations(view.relations());
    summaries(view.judged().summaries());
    reviews(view.reviews());
    pairs(view.nearDuplicates());
    merges(view.judged().merges());
    overlaps(view.overlaps());
    pairs(view.crossLinks());
    misfiled(view.misfiled());
    labels(view.judged().labels());
    topics(view.topics());
    distribution(view.distribution());
    footer(view);
    return out.toString();
  }

  private void facts(ReportView view) {
    for (DistributionView.Fact fact : view.facts()) {
      line("- " + fact.value() + " " + fact.words());
    }
    line("- newest entry: " + view.asOf());
    line("");
  }

  private void damage(ReportView.DamageSection damage) {
    if (!damage.exists()) {
      return;
    }
    heading("## " + damage.title(), "");
    paragraph(damage.intro());
    for (DamageView place : damage.places()) {
      String detail = place.detail().isBlank() ? "" : ": " + MarkdownText.code(place.detail());
      line("- " + place.where() + ", " + place.what() + ", " + place.loss() + detail);
    }
    line("");
    damage.more().ifPresent(this::paragraph);
  }

  private void pairs(PairSection section) {
    heading("## " + section.title(), section.total());
    if (section.isEmpty()) {
      paragraph(section.none());
      return;
    }
    paragraph(section.intro());
    section.cutWords().ifPresent(this::paragraph);
    int number = 1;
    for (PairView pair : section.pairs().all()) {
      pair(number++, pair);
    }
    different(section);
  }

  /** The best in full, the rest in a line each. */
  private void relations(PairSection section) {
    heading("## " + section.title(), section.total());
    if (section.isEmpty()) {
      paragraph(section.none());
      return;
    }
    paragraph(section.intro());
    section.cutWords().ifPresent(this::paragraph);
    int number = 1;
    for (PairView pair : section.pairs().first()) {
      pair(number++, pair);
    }
    if (section.pairs().hasMore()) {
      paragraph(section.pairs().words() + ":");
      section.pairs().more().forEach(this::pairLine);
      line("");
    }
    different(section);
  }

  private void different(PairSection section) {
    if (section.hasDifferent()) {
      paragraph(section.differentWords() + ":");
      section.different().forEach(this::pairLine);
      line("");
    }
  }

  private void pairLine(PairView pair) {
    String verdict = pair.verdict().map(words -> ", " + words).orElse("");
    String shared = pair.sharesWords() ? ", both say " + codes(pair.sharedWords()) : "";
    line(
        "- "
            + pair.similarity()
            + verdict
            + ": "
            + names(pair)
            + shared
            + " · "
            + MarkdownText.code(pair.id()));
  }

  private void summaries(JudgedSections.SummarySection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Topics in a sentence", section.total());
    paragraph(section.intro());
    row("Topic", "Entries", "Sentence");
    row(":----", "------:", ":-------");
    for (JudgedSections.SummaryRow row : section.rows().all()) {
      row(MarkdownText.cell(row.topic()), row.entries(), MarkdownText.cell(row.sentence()));
    }
    line("");
  }

  private void reviews(ReviewSection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Over time", "");
    paragraph(section.intro());
    for (ReviewSection.ReviewView review : section.reviews()) {
      heading("### " + review.title(), "");
      String judge =
          review
              .judge()
              .map(model -> "judged by " + MarkdownText.code(model))
              .orElse("by similarity alone");
      String note = review.note().map(text -> " · *" + text + "*").orElse("");
      paragraph(review.when() + " · " + judge + note);
      paragraph(MarkdownText.code(review.summary()));
      review.items().all().forEach(this::item);
      if (!review.items().isEmpty()) {
        line("");
      }
    }
  }

  private void item(ReviewSection.ItemView item) {
    line(
        "- "
            + item.similarity().map(text -> "**" + text + "** ").orElse("")
            + MarkdownText.code(item.a())
            + " "
            + MarkdownText.code(item.relation())
            + item.b().map(text -> " " + MarkdownText.code(text)).orElse("")
            + item.verdict().map(text -> " · " + MarkdownText.code(text)).orElse("")
            + item.id().map(text -> " · " + MarkdownText.code(text)).orElse("")
            + item.text().map(text -> ": " + MarkdownText.code(text)).orElse(""));
  }

  private void merges(JudgedSections.MergeSection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Proposed merges", section.total());
    paragraph(section.intro());
    for (JudgedSections.MergeRow merge : section.rows()) {
      paragraph("**Proposed** for " + codes(merge.names()) + " · " + MarkdownText.code(merge.id()));
      out.append(MarkdownText.fenced(merge.text().head() + merge.text().rest())).append('\n');
      acts(merge.acts());
    }
  }

  private void labels(JudgedSections.LabelSection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Labels", "");
    paragraph(section.intro());
    section.agreement().ifPresent(this::paragraph);
    row("Label", "Entries", "Means");
    row(":----", "------:", ":----");
    for (JudgedSections.LabelRow row : section.rows()) {
      row(row.label(), row.count(), row.description());
    }
    line("");
    for (JudgedSections.Disagreement one : section.disagreements()) {
      String name = MarkdownText.code(one.name());
      line("- " + name + ": tagged " + one.tags() + ", guess " + one.guess());
    }
    if (section.hasDisagreements()) {
      line("");
    }
  }

  private void pair(int number, PairView pair) {
    heading("### " + number + ". " + names(pair), "");
    List<String> words = new ArrayList<>(List.of("**" + pair.similarity() + "**"));
    pair.verdict().ifPresent(verdict -> words.add("**" + verdict + "**"));
    words.addAll(List.of(pair.rank(), pair.nearness()));
    if (pair.sharesWords()) {
      words.add("both say " + codes(pair.sharedWords()));
    }
    words.add(MarkdownText.code(pair.id()));
    paragraph(String.join(" · ", words));
    entry(pair.a());
    entry(pair.b());
    acts(pair.acts());
  }

  /** Calls are long: each in a block of its own. */
  private void acts(List<ActView> acts) {
    for (ActView act : acts) {
      paragraph(act.condition() + " " + MarkdownText.code(act.words()));
      if (act.hasCalls()) {
        out.append(MarkdownText.fenced(String.join("\n", act.calls()), "json")).append('\n');
      }
    }
  }

  private static String names(PairView pair) {
    return MarkdownText.code(pair.a().name()) + " and " + MarkdownText.code(pair.b().name());
  }

  private void entry(EntryView entry) {
    String letter = entry.letter().map(text -> "**" + text + "** ").orElse("");
    List<String> words = new ArrayList<>();
    words.add(letter + MarkdownText.code(entry.name()));
    words.add(entry.date());
    if (!entry.tags().isEmpty()) {
      words.add("tags " + codes(entry.tags()));
    }
    entry.label().ifPresent(words::add);
    entry.source().ifPresent(source -> words.add(MarkdownText.code(source)));
    entry.confidence().ifPresent(confidence -> words.add("confidence " + confidence));
    paragraph(String.join(" · ", words));
    if (!entry.hasText()) {
      paragraph("(no text)");
      return;
    }
    entry
        .matched()
        .ifPresent(text -> paragraph("This passage matches: " + MarkdownText.code(text)));
    out.append(MarkdownText.fenced(entry.text().head())).append('\n');
    if (entry.text().unread() > 0) {
      paragraph("*" + entry.text().unreadWords() + "*");
    }
    if (!entry.ownWords().isEmpty()) {
      List<String> own = entry.ownWords();
      int more = own.size() - OWN_WORDS;
      paragraph(
          "Only here: "
              + codes(own.subList(0, Math.min(OWN_WORDS, own.size())))
              + (more > 0 ? " and " + Wording.count(more, "more word", "more words") : ""));
    }
  }

  private void overlaps(ReportView.ListSection<OverlapView> section) {
    if (!begin("Overlapping topics", section)) {
      return;
    }
    row("Similarity", "Topic", "Topic", "Finding");
    row("---------:", ":----", ":----", ":------");
    for (OverlapView overlap : section.rows()) {
      row(
          overlap.similarity(),
          MarkdownText.cell(overlap.a()) + " (" + overlap.entriesA() + ")",
          MarkdownText.cell(overlap.b()) + " (" + overlap.entriesB() + ")",
          MarkdownText.cell(overlap.id()));
    }
    line("");
    section.rows().forEach(overlap -> acts(overlap.acts()));
  }

  private void misfiled(ReportView.ListSection<MisfiledView> section) {
    if (!begin("Perhaps under the wrong topic", section)) {
      return;
    }
    int number = 1;
    for (MisfiledView misfiled : section.rows()) {
      String name = MarkdownText.code(misfiled.entry().name());
      String nearer = MarkdownText.code(misfiled.nearer());
      heading("### " + number++ + ". " + name + " is nearer to " + nearer, "");
      String similarities =
          "**" + misfiled.other() + "** to " + nearer + ", " + misfiled.own() + " to its own topic";
      paragraph(similarities + " · " + MarkdownText.code(misfiled.id()));
      entry(misfiled.entry());
      acts(misfiled.acts());
    }
  }

  /** Heading and words; returns whether there is anything to list. */
  private boolean begin(String title, ReportView.ListSection<?> section) {
    heading("## " + title, section.total());
    paragraph(section.isEmpty() ? section.none() : section.intro());
    section.cutWords().ifPresent(this::paragraph);
    return !section.isEmpty();
  }

  private void topics(ReportView.TopicSection topics) {
    heading("## Topics", topics.total());
    paragraph("Cohesion is how similar the entries of a topic are to its centre, on average.");
    topics.cutWords().ifPresent(this::paragraph);
    row("Topic", "Entries", "Cohesion");
    row(":----", "------:", "-------:");
    for (TopicView topic : topics.rows()) {
      row(MarkdownText.cell(topic.name()), topic.entries(), topic.cohesion());
    }
    line("");
  }

  private void distribution(DistributionView distribution) {
    if (!distribution.known()) {
      return;
    }
    heading("## How similar entries are here", "");
    distribution.words().forEach(this::paragraph);
    for (DistributionView.Fact fact : distribution.facts()) {
      line("- **" + fact.value() + "** " + fact.words());
    }
    line("");
    StringBuilder chart = new StringBuilder();
    for (DistributionView.Row row : distribution.rows()) {
      chart.append(" ".repeat(Math.max(0, 14 - row.range().length()))).append(row.range());
      chart.append("  ").append(row.bar()).append(' ').append(row.count()).append('\n');
    }
    out.append(MarkdownText.fenced(chart.toString())).append('\n');
    paragraph("Pairs by similarity; the lengths of the bars are logarithmic.");
  }

  private static String modelName(String name) {
    return name.isEmpty() ? "" : " It calls itself " + MarkdownText.code(name) + ".";
  }

  private void footer(ReportView view) {
    line("---");
    line("");
    paragraph(
        "Written by "
            + MarkdownText.code(view.program())
            + " with "
            + MarkdownText.code(view.model())
            + ". helix-bg only reads the knowledge base; it never changes or deletes an entry.");
  }

  private void heading(String text, String count) {
    line(count.isEmpty() ? text : text + " (" + count + ")");
    line("");
  }

  private static String codes(List<String> texts) {
    return String.join(", ", texts.stream().map(MarkdownText::code).toList());
  }

  private void row(String... cells) {
    line("| " + String.join(" | ", cells) + " |");
  }

  private void paragraph(String text) {
    line(text);
    line("");
  }

  private void line(String text) {
    out.append(text).append('\n');
  }
}
