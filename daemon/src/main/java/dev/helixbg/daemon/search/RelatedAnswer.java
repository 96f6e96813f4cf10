package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.notes.NotesLog;
import dev.helixbg.insight.search.AlreadySaid;
import java.util.List;
import java.util.Optional;

/**
 * The entries nearest to a text, and whether one of them says the same as the text.
 *
 * @param nearest the nearest entries, best first, and the searched part of the KB
 * @param title title of the entry that already says the same
 * @param unread reason why the judge of notes could not read the entries
 */
public record RelatedAnswer(
    SearchAnswer nearest, AlreadySaid said, Optional<String> title, Optional<String> unread) {

  public static Entry unstored(String topic, String text) {
    return Entry.of(0, topic, text, 0);
  }

  /**
   * Returns a search for the entries nearest to a text. At most {@code limit} of the found entries
   * are shown.
   */
  public static SearchRequest request(Entry asked, int limit) {
    return SearchRequest.best(
        PrintableText.beginning(asked.embeddedText().strip(), SearchRequest.MAX_TEXT),
        Math.min(SearchRequest.MAX_HITS, Math.max(limit, AlreadySaid.LOOKED_AT) + 1));
  }

  /**
   * Lets the judge of notes read the nearest entries.
   *
   * @param found result of {@link #request}, without the entry that is asked about
   * @param judge source of the pair judges; if empty, only vectors are compared
   */
  public static RelatedAnswer of(
      Entry asked,
      SearchAnswer found,
      int limit,
      Settings settings,
      Optional<? extends PairSource> judge)
      throws InterruptedException {
    AlreadySaid.Question question =
        new AlreadySaid.Question(
            asked.text().content(),
            asked.embeddedText().strip().length() <= SearchRequest.MAX_TEXT
                && Passage.of(asked, settings.embed().maxTokens()).isEmpty(),
            found.coverage().isWhole(),
            found.hits().stream()
                .map(
                    hit ->
                        new AlreadySaid.Near(
                            hit.name(),
                            matched(hit),
                            whole(hit.entry(), asked.text().content()),
                            hit.similarity()))
                .toList());
    double nearDuplicate = PairKind.NEAR_DUPLICATE_FROM;
    AlreadySaid said = question.byVectors(nearDuplicate);
    Optional<String> unread = Optional.empty();
    boolean isReadable =
        said.answer() != AlreadySaid.Answer.YES && !question.worthReading().isEmpty();
    if (judge.isPresent() && isReadable) {
      try (PairReader reader = judge.get().open()) {
        said = question.read(reader, judge.get().judge().ofNotes(), nearDuplicate);
      } catch (EmbeddingException e) {
        unread = Optional.of(e.getMessage());
      }
    }
    Optional<String> name = said.entry();
    List<SearchHit> shown = found.hits().stream().limit(limit).toList();
    return new RelatedAnswer(
        new SearchAnswer(shown, found.coverage()),
        said,
        found.hits().stream()
            .filter(hit -> name.equals(Optional.of(hit.name())))
            .findFirst()
            .map(hit -> PrintableText.line(hit.title())),
        unread);
  }

  /**
   * Returns the whole text of an entry. The text of a note is returned without the note's title,
   * unless the asked text begins with the note's title or with the last heading in that title.
   */
  private static String whole(Entry entry, String asked) {
    String content = entry.text().content();
    int end = content.indexOf("\n\n");
    if (end < 0 || NoteName.of(entry).filter(name -> !name.isItem()).isEmpty()) {
      return content;
    }
    String title = NotesLog.BETWEEN + content.lines().findFirst().orElse("");
    String line = asked.strip().lines().findFirst().orElse("").replaceAll("[#*`]", "").strip();
    return (title.endsWith(NotesLog.BETWEEN + line) ? line : "") + content.substring(end);
  }

  private static String matched(SearchHit hit) {
    return hit.passage().start() == 0 ? hit.text() : hit.matched();
  }

  /** Returns lines for the control socket: a search's lines, with more fields in the last line. */
  public List<ObjectNode> toJson() {
    List<ObjectNode> lines = nearest.toJson();
    ObjectNode last = lines.getLast().put("alreadySaid", Json.word(said.answer()));
    said.entry().ifPresent(entry -> last.put("entry", entry));
    title.ifPresent(line -> last.put("title", line));
    said.probability().ifPresent(p -> last.put("probability", Json.sixDecimals(p)));
    said.differs().ifPresent(what -> last.put("differs", what));
    unread.ifPresent(why -> last.put("unread", why));
    return lines;
  }
}
