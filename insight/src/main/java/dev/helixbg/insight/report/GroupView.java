package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.List;

/** Entries that one text stands for: what all of them say, or what is proposed for them. */
record GroupView(String id, List<String> names, ShownText text, List<ActView> acts) {

  static GroupView of(String id, List<NamedEntry> entries, String text, List<Act> acts) {
    return new GroupView(
        PrintableText.line(id),
        entries.stream().map(EntryView::name).toList(),
        ShownText.of(text),
        ActView.of(acts));
  }
}
