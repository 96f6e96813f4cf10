package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;

/**
 * The title and name by which a reader knows an entry.
 *
 * @param title heading or first sentence, 70 columns at most
 * @param name such as {@code topic:3}; empty where the title is the name
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

  /** The name of a topic made safe, with a stand-in for a blank one. */
  static String label(String topic) {
    return topic.isBlank() ? "(no name)" : PrintableText.line(topic);
  }

  boolean hasName() {
    return !name.isEmpty();
  }
}
