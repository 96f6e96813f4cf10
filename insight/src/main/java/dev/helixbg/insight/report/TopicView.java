package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Findings;

/** A topic as a row of the table of topics. */
record TopicView(String name, String entries, String cohesion) {

  static TopicView of(Findings.Topic topic) {
    return new TopicView(
        label(topic.name()), Wording.count(topic.entries()), Wording.similarity(topic.cohesion()));
  }

  /** The name made safe, with a stand-in for a blank one. */
  static String label(String topic) {
    return topic.isBlank() ? "(no name)" : PrintableText.line(topic);
  }
}
