package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Judgements;
import java.util.List;

/**
 * An entry that may be under the wrong topic.
 *
 * @param own similarity to its own topic
 * @param other similarity to {@code nearer}
 */
record MisfiledView(
    String id, EntryView entry, String own, String nearer, String other, List<ActView> acts) {

  static MisfiledView of(Finding.Misfiled misfiled, Judgements judgements, Acts acts) {
    return new MisfiledView(
        PrintableText.line(misfiled.id()),
        EntryView.of(misfiled.entry(), judgements),
        NumberWords.similarity(misfiled.own()),
        TopicView.label(misfiled.nearer()),
        NumberWords.similarity(misfiled.other()),
        ActView.of(acts.on(misfiled)));
  }
}
