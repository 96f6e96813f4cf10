package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import java.util.List;

/** Two overlapping topics. */
record OverlapView(
    String id,
    String similarity,
    String a,
    String b,
    String entriesA,
    String entriesB,
    List<ActView> acts) {

  static OverlapView of(Finding.TopicOverlap overlap, Acts acts) {
    return new OverlapView(
        PrintableText.line(overlap.id()),
        NumberWords.similarity(overlap.similarity()),
        TopicView.label(overlap.a()),
        TopicView.label(overlap.b()),
        NumberWords.count(overlap.entriesA(), "entry", "entries"),
        NumberWords.count(overlap.entriesB(), "entry", "entries"),
        ActView.of(acts.on(overlap)));
  }
}
