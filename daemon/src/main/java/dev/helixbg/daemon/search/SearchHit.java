package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.search.SearchIndex;

/**
 * An entry that a search found.
 *
 * @param name {@code topic:index}, helix's name of the entry, valid until the topic is edited
 * @param id permanent id of the entry: the key of its text
 * @param score score that hits are ranked by: similarity plus the score of words
 * @param similarity cosine with the nearest passage, at most 1
 * @param text beginning of the text, without metadata lines
 * @param passage matching passage, as a range of the text without metadata lines
 * @param matched the text of the passage, or the beginning of that text
 * @param entry the entry; {@link #toJson} writes the entry's offset and its time of writing
 */
public record SearchHit(
    String name,
    String id,
    String title,
    double score,
    double similarity,
    String text,
    Passage passage,
    String matched,
    Entry entry) {
  /** Maximum length of a text, in characters. Passages are seldom longer. */
  static final int MAX_TEXT = 2_000;

  public static SearchHit of(SearchIndex.Hit hit) {
    Entry entry = hit.entry().entry();
    return new SearchHit(
        hit.entry().name(),
        hit.entry().key(),
        hit.entry().title(),
        hit.score(),
        hit.similarity(),
        PrintableText.beginning(entry.text().content(), MAX_TEXT),
        hit.passage(),
        PrintableText.beginning(hit.passage().text(entry), MAX_TEXT),
        entry);
  }

  /** Returns the hit as a line of the control socket. */
  public ObjectNode toJson() {
    ObjectNode hit =
        Json.object()
            .put("name", name)
            .put("id", id)
            .put("title", title)
            .put("score", Json.sixDecimals(score))
            .put("similarity", Json.sixDecimals(similarity))
            .put("offset", entry.offset())
            .put("written", entry.written().orElse(""))
            .put("text", text);
    hit.putObject("passage")
        .put("start", passage.start())
        .put("end", passage.end())
        .put("text", matched);
    return hit;
  }
}
