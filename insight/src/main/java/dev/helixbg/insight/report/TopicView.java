package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Findings;

/** A topic as a row of the table of topics, with a sentence on it where there is one. */
record TopicView(String name, String entries, String cohesion, String sentence) {

  /**
   * @param sentence what a language model or a coding agent says of it; may be empty
   */
  static TopicView of(Findings.Topic topic, String sentence) {
    return new TopicView(
        label(topic.name()),
        NumberWords.count(topic.entries()),
        NumberWords.similarity(topic.cohesion()),
        PrintableText.excerpt(sentence, 600));
  }

  /** The name made safe, with a stand-in for a blank one. */
  static String label(String topic) {
    return topic.isBlank() ? "(no name)" : PrintableText.line(topic);
  }

  /** A file's name with as much of its folders as has room; a longer name loses its middle. */
  static String path(String path, int characters) {
    int heading = path.indexOf('#');
    String file = path.substring(path.lastIndexOf('/', heading < 0 ? path.length() : heading) + 1);
    int length = file.codePointCount(0, file.length());
    return length < characters || file.equals(path) && length == characters
        ? end(path, characters)
        : file.substring(0, file.offsetByCodePoints(0, characters / 2 - 1))
            + end(file, characters - characters / 2 + 1);
  }

  /** The end of a text on one line, in so many characters. */
  static String end(String text, int characters) {
    int count = text.codePointCount(0, text.length());
    return count <= characters
        ? text
        : "…" + text.substring(text.offsetByCodePoints(0, count - characters + 1));
  }
}
