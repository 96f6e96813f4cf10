package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Judgements;
import java.util.List;

/**
 * Something that an entry names in source code and that is otherwise by now.
 *
 * @param change what is otherwise, in a word or two
 * @param says all of it in a sentence
 */
record MovedSourceView(
    String id, EntryView entry, String change, String named, String says, List<ActView> acts) {

  static MovedSourceView of(Finding.MovedSource moved, Judgements judgements, Acts acts) {
    return new MovedSourceView(
        PrintableText.line(moved.id()),
        EntryView.of(moved.entry(), judgements),
        moved.change().title(),
        PrintableText.line(moved.named()),
        PrintableText.line(moved.words()),
        ActView.of(acts.on(moved)));
  }
}
