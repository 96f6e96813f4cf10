package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Answers requests for single entries of the present log. A request has an entry's name or id. */
final class EntryRequests {
  /** Maximum length of a page of a text, in UTF-16 units; an agent reads a page at a time. */
  static final int PAGE = 8_000;

  /** Maximum length of an entry's source or name, in characters, as in all MCP answers. */
  private static final int LINE = 300;

  private static final int TAG = 100;

  /** Maximum number of tags, and of copies, that are listed. */
  private static final int LISTED = 20;

  private EntryRequests() {}

  /**
   * Returns the entry whose name or id is in the field {@code entry} of a request; throws a {@link
   * Failure} if there is none. {@code modelId} is the id of the embedding model.
   */
  static NamedEntry find(Kb kb, String modelId, ObjectNode request) throws InterruptedException {
    return found(entries(kb, modelId), request.path("entry").asText());
  }

  private static List<NamedEntry> entries(Kb kb, String modelId) throws InterruptedException {
    return PresentFindings.read(kb, modelId).entries().all();
  }

  /**
   * Returns the first entry with the sought id. If there is none, returns the only entry with the
   * sought name. The name can also have helix's form, such as {@code topic[0]}. Names that differ
   * only in their Unicode form count as equal.
   */
  private static NamedEntry found(List<NamedEntry> all, String sought) {
    String name = sought.replaceFirst("\\[(\\d+)]$", ":$1");
    Optional<NamedEntry> byId = all.stream().filter(one -> one.key().equals(sought)).findFirst();
    return byId.or(() -> only(all, one -> one.name().equals(name)))
        .or(() -> only(all, one -> KbTopics.isSame(one.name(), name)))
        .orElseThrow(
            () ->
                Failure.usage(
                    "there is no entry "
                        + QuotedName.of(PrintableText.beginning(sought, 100))
                        + NearestName.meant(
                            sought,
                            all.stream().map(NamedEntry::name).toList(),
                            "; name an entry by topic:number, which can change, or by its id, which"
                                + " changes only with its text: 'search' lists both names")));
  }

  private static Optional<NamedEntry> only(List<NamedEntry> all, Predicate<NamedEntry> isSought) {
    List<NamedEntry> found = all.stream().filter(isSought).toList();
    if (found.size() > 1) {
      throw Failure.usage(
          "%d entries have this name; name one of them by its id: %s"
              .formatted(
                  found.size(),
                  found.stream()
                      .limit(LISTED)
                      .map(NamedEntry::key)
                      .collect(Collectors.joining(", "))));
    }
    return found.stream().findFirst();
  }

  /**
   * Returns an entry with one page of its text. The page begins at {@code from}, the next page at
   * {@code next}. Both positions count UTF-16 units of the text.
   */
  static ObjectNode read(Kb kb, String modelId, ObjectNode request) throws InterruptedException {
    List<NamedEntry> all = entries(kb, modelId);
    NamedEntry named = found(all, request.path("entry").asText());
    EntryText text = named.entry().text();
    String content = text.content();
    int from = request.path("from").asInt(0);
    if (from < 0 || from > content.length()) {
      throw Failure.usage(
          "\"from\" must be from 0 to %,d, the length of this entry".formatted(content.length()));
    }
    int end = Math.min(content.length(), from + PAGE);
    if (end < content.length() && Character.isHighSurrogate(content.charAt(end - 1))) {
      end--;
    }
    ObjectNode line =
        Json.object()
            .put("name", named.name())
            .put("id", named.key())
            .put("title", text.title())
            .put("written", named.entry().written().orElse(""));
    line.set("tags", Json.texts(shortened(text.tags(), TAG)));
    text.source().ifPresent(source -> line.put("source", PrintableText.beginning(source, LINE)));
    text.heading()
        .ifPresent(heading -> line.put("heading", PrintableText.beginning(heading, LINE)));
    text.part().ifPresent(part -> line.put("part", part));
    text.confidence().ifPresent(confidence -> line.put("confidence", confidence));
    List<String> copies =
        all.stream()
            .filter(other -> other != named && other.key().equals(named.key()))
            .map(NamedEntry::name)
            .toList();
    if (!copies.isEmpty()) {
      line.set("copies", Json.texts(shortened(copies, LINE)));
    }
    line.put("from", from).put("total", content.length());
    if (end < content.length()) {
      line.put("next", end);
    }
    return line.put("text", content.substring(from, end));
  }

  private static List<String> shortened(List<String> texts, int most) {
    return texts.stream().limit(LISTED).map(text -> PrintableText.beginning(text, most)).toList();
  }
}
