package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;

/** The title and name of an entry; the name is empty if it equals the title. */
record NameView(String title, String name) {
  static NameView of(NamedEntry named) {
    String title = PrintableText.line(named.title());
    String name = PrintableText.line(named.name());
    return new NameView(title, title.equals(name) ? "" : name);
  }

  static NameView ofTopic(String topic) {
    return new NameView(label(topic), "");
  }

  /** Returns the printable name of a topic, with a replacement for a blank name. */
  static String label(String topic) {
    return topic.isBlank() ? "(no name)" : PrintableText.line(topic);
  }

  boolean hasName() {
    return !name.isEmpty();
  }
}
