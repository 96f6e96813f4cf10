package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;

/**
 * The title and name of an entry for a reader.
 *
 * @param title heading or first sentence, 70 columns at most
 * @param name name such as {@code topic:3}; empty if it equals the title
 */
record NameView(String title, String name) {
  static NameView of(NamedEntry named) {
    String title = PrintableText.line(named.title());
    String name = PrintableText.line(named.name());
    return new NameView(title, title.equals(name) ? "" : name);
  }

  /** Returns a topic, which has no title. */
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
