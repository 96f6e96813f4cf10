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
    return of(named.title(), named.name());
  }

  static NameView of(String title, String name) {
    String shown = PrintableText.line(title);
    String shownName = PrintableText.line(name);
    return new NameView(shown, shown.equals(shownName) ? "" : shownName);
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
