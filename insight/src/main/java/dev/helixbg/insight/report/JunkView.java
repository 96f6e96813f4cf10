package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Judgements;

/** An entry that should not be kept as it is, and why. */
record JunkView(String id, EntryView entry, String reason, String says) {

  static JunkView of(Finding.Junk junk, Judgements judgements) {
    return new JunkView(
        PrintableText.line(junk.id()),
        EntryView.of(junk.entry(), judgements),
        junk.reason().title(),
        PrintableText.line(junk.why()));
  }
}
