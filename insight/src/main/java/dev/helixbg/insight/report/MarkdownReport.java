package dev.helixbg.insight.report;

import java.util.List;

/** The report for a Markdown viewer or a plain terminal. */
public final class MarkdownReport {
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
    if (damage.hasMore()) {
      paragraph(damage.more());
    }
  }

  private void pairs(PairSection section) {
    heading("## " + section.title(), section.total());
    if (section.isEmpty()) {
      paragraph(section.none());
      return;
    }
    paragraph(section.intro());
    if (section.hasCut()) {
      paragraph(section.cutWords());
    }
    int number = 1;
    for (List<PairView> part : List.of(section.first(), section.more())) {
      for (PairView pair : part) {
        pair(number++, pair);
      }
    }
    if (section.hasDifferent()) {
      paragraph(section.differentWords() + ":");
      for (PairView pair : section.different()) {
        line(
            "- "
                + pair.similarity()
                + ", "
                + pair.verdict()
                + ": "
                + MarkdownText.code(pair.a().name())
                + " and "
                + MarkdownText.code(pair.b().name())
                + " · "
                + MarkdownText.code(pair.id()));
      }
      line("");
    }
  }

  private void summaries(JudgedSections.SummarySection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Topics in a sentence", section.total());
    paragraph(section.intro());
    line("| Topic | Entries | Sentence |");
    line("| :---- | ------: | :------- |");
    for (List<JudgedSections.SummaryRow> part : List.of(section.first(), section.more())) {
      for (JudgedSections.SummaryRow row : part) {
        String sentence = MarkdownText.cell(row.sentence());
        line(
            "| "
                + MarkdownText.cell(row.topic())
                + " | "
                + row.entries()
                + " | "
                + sentence
                + " |");
      }
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
          review.hasJudge()
              ? "judged by " + MarkdownText.code(review.judge())
              : "by similarity alone";
      paragraph(
          review.when() + " · " + judge + (review.hasNote() ? " · *" + review.note() + "*" : ""));
      paragraph(MarkdownText.code(review.summary()));
      for (List<ReviewSection.ItemView> part : List.of(review.first(), review.more())) {
        part.forEach(this::item);
      }
      if (review.hasItems()) {
        line("");
      }
    }
  }

  private void item(ReviewSection.ItemView item) {
    line(
        "- "
            + (item.hasSimilarity() ? "**" + item.similarity() + "** " : "")
            + MarkdownText.code(item.a())
            + " "
            + MarkdownText.code(item.relation())
            + (item.hasB() ? " " + MarkdownText.code(item.b()) : "")
            + (item.hasVerdict() ? " · " + MarkdownText.code(item.verdict()) : "")
            + (item.hasText() ? ": " + MarkdownText.code(item.text()) : ""));
  }

  private void merges(JudgedSections.MergeSection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Proposed merges", section.total());
    paragraph(section.intro());
    for (JudgedSections.MergeRow merge : section.rows()) {
      String names = String.join(", ", merge.names().stream().map(MarkdownText::code).toList());
      paragraph("**Proposed** for " + names + " · " + MarkdownText.code(merge.id()));
      out.append(MarkdownText.fenced(merge.text().head() + merge.text().rest())).append('\n');
    }
  }

  private void labels(JudgedSections.LabelSection section) {
    if (!section.exists()) {
      return;
    }
    heading("## Labels", "");
    paragraph(section.intro());
    if (section.hasAgreement()) {
      paragraph(section.agreement());
    }
    line("| Label | Entries | Means |");
    line("| :---- | ------: | :---- |");
    for (JudgedSections.LabelRow row : section.rows()) {
      line("| " + row.label() + " | " + row.count() + " | " + row.description() + " |");
    }
    line("");
    for (JudgedSections.Disagreement one : section.disagreements()) {
      line(
          "- "
              + MarkdownText.code(one.name())
              + ": tagged "
              + one.tags()
              + ", guess "
              + one.guess());
    }
    if (section.hasDisagreements()) {
      line("");
    }
  }

  private void pair(int number, PairView pair) {
    String names =
        MarkdownText.code(pair.a().name()) + " and " + MarkdownText.code(pair.b().name());
    heading("### " + number + ". " + names, "");
    paragraph(
        "**"
            + pair.similarity()
            + "** · "
            + (pair.hasVerdict() ? "**" + pair.verdict() + "** · " : "")
            + pair.rank()
            + " · "
            + pair.nearness()
            + " · "
            + MarkdownText.code(pair.id()));
    entry(pair.a());
    entry(pair.b());
  }

  private void entry(EntryView entry) {
    StringBuilder words = new StringBuilder();
    if (!entry.letter().isEmpty()) {
      words.append("**").append(entry.letter()).append("** ");
    }
    words.append(MarkdownText.code(entry.name())).append(" · ").append(entry.date());
    for (int i = 0; i < entry.tags().size(); i++) {
      words.append(i == 0 ? " · tags " : ", ").append(MarkdownText.code(entry.tags().get(i)));
    }
    if (entry.hasLabel()) {
      words.append(" · ").append(entry.label());
    }
    if (entry.hasSource()) {
      words.append(" · ").append(MarkdownText.code(entry.source()));
    }
    if (entry.hasConfidence()) {
      words.append(" · confidence ").append(entry.confidence());
    }
    paragraph(words.toString());
    if (!entry.hasText()) {
      paragraph("(no text)");
      return;
    }
    out.append(MarkdownText.fenced(entry.text().head())).append('\n');
    if (entry.text().unread() > 0) {
      paragraph("*" + entry.text().unreadWords() + "*");
    }
  }

  private void overlaps(ReportView.OverlapSection section) {
    heading("## Overlapping topics", section.total());
    if (section.isEmpty()) {
      paragraph(section.none());
      return;
    }
    paragraph(section.intro());
    if (section.hasCut()) {
      paragraph(section.cutWords());
    }
    line("| Similarity | Topic | Topic | Finding |");
    line("| ---------: | :---- | :---- | :------ |");
    for (OverlapView overlap : section.pairs()) {
      line(
          "| "
              + overlap.similarity()
              + " | "
              + MarkdownText.cell(overlap.a())
              + " ("
              + overlap.entriesA()
              + ")"
              + " | "
              + MarkdownText.cell(overlap.b())
              + " ("
              + overlap.entriesB()
              + ")"
              + " | "
              + MarkdownText.cell(overlap.id())
              + " |");
    }
    line("");
  }

  private void misfiled(ReportView.MisfiledSection section) {
    heading("## Perhaps under the wrong topic", section.total());
    if (section.isEmpty()) {
      paragraph(section.none());
      return;
    }
    paragraph(section.intro());
    if (section.hasCut()) {
      paragraph(section.cutWords());
    }
    int number = 1;
    for (MisfiledView misfiled : section.entries()) {
      String name = MarkdownText.code(misfiled.entry().name());
      String nearer = MarkdownText.code(misfiled.nearer());
      heading("### " + number++ + ". " + name + " is nearer to " + nearer, "");
      paragraph(
          "**"
              + misfiled.other()
              + "** to "
              + nearer
              + ", "
              + misfiled.own()
              + " to its own topic · "
              + MarkdownText.code(misfiled.id()));
      entry(misfiled.entry());
    }
  }

  private void topics(ReportView.TopicSection topics) {
    heading("## Topics", topics.total());
    paragraph("Cohesion is how similar the entries of a topic are to its centre, on average.");
    if (topics.hasCut()) {
      paragraph(topics.cutWords());
    }
    line("| Topic | Entries | Cohesion |");
    line("| :---- | ------: | -------: |");
    for (TopicView topic : topics.rows()) {
      String name = MarkdownText.cell(topic.name());
      line("| " + name + " | " + topic.entries() + " | " + topic.cohesion() + " |");
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

  private void paragraph(String text) {
    line(text);
    line("");
  }

  private void line(String text) {
    out.append(text).append('\n');
  }
}
