package dev.helixbg.insight.acts;

import static dev.helixbg.insight.acts.NotCallableException.require;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.EntryText.Link;
import java.util.List;
import java.util.Optional;

/** Makes bodies in the form that helix writes: lines of metadata, the text, a line of links. */
final class EntryBodies {
  /** Maximum length, in UTF-16 units, of a text in a call. A call must fit into a command line. */
  static final int MAX_TEXT = 8_000;

  private EntryBodies() {}

  /**
   * Returns the body with a new line of links at its end. helix uses the last line of links that is
   * not empty. If {@code links} is empty, the old lines of links are therefore removed.
   */
  static String linked(NamedEntry entry, List<Link> links) {
    if (!links.isEmpty()) {
      return appended(entry, links);
    }
    requireKeepable(entry);
    EntryText text = entry.text();
    return metadata(text, text.tags(), text.source(), List.of()) + text.content();
  }

  static String appended(NamedEntry entry, List<Link> links) {
    return entry.entry().body().stripTrailing() + "\n" + line(links);
  }

  static String line(List<Link> links) {
    return "[links: " + names(links) + "]";
  }

  static String names(List<Link> links) {
    return String.join(" ", links.stream().map(link -> link.topic() + ":" + link.index()).toList());
  }

  static String metadata(
      EntryText text, List<String> tags, Optional<String> source, List<Link> links) {
    return (tags.isEmpty() ? "" : "[tags: " + String.join(", ", tags) + "]\n")
        + source.map(from -> "[source: " + from + "]\n").orElse("")
        + (text.confidence().isPresent()
            ? "[confidence: " + text.confidence().getAsDouble() + "]\n"
            : "")
        + (links.isEmpty() ? "" : line(links) + "\n");
  }

  /** Throws an exception if no call can pass on the entry's text unchanged. */
  static void requireKeepable(NamedEntry entry) {
    String body = entry.entry().body();
    require(
        body.length() <= MAX_TEXT && body.indexOf('\uFFFD') < 0 && !body.isBlank(),
        "the text of " + Act.name(entry) + " is too long for a call, empty, or damaged");
  }
}
