package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.Optional;

/** The title of an entry, and its name if it differs. */
record NameView(String title, Optional<String> name) {
  static NameView of(NamedEntry named) {
    String title = PrintableText.line(named.title());
    String name = PrintableText.line(named.name());
    return new NameView(title, Optional.of(name).filter(one -> !one.equals(title)));
  }

  static NameView ofTopic(String topic) {
    return new NameView(label(topic), Optional.empty());
  }

  /** Returns the printable name of a topic, with a replacement for a blank name. */
  static String label(String topic) {
    return topic.isBlank() ? "(no name)" : PrintableText.line(topic);
  }
}
