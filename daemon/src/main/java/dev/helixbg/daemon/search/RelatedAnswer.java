package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Kind;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.notes.NotesLog;
import dev.helixbg.insight.search.AlreadySaid;
import dev.helixbg.insight.search.SearchIndex;
import java.util.List;
import java.util.Optional;

/** Finds the entries nearest to a text, and tells whether one of them already says the same. */
public final class RelatedAnswer {
  private RelatedAnswer() {}

  /** Returns a search for {@code limit} entries, or for more if the pair judges read more. */
  public static SearchRequest request(Entry asked, int limit) {
    return SearchRequest.best(
        PrintableText.beginning(asked.embeddedText().strip(), SearchRequest.MAX_TEXT),
        Math.min(SearchRequest.MAX_HITS, Math.max(limit, AlreadySaid.LOOKED_AT) + 1));
  }

  /**
   * Lets the pair judges, if any, read the nearest entries. Returns the lines of a search's answer,
   * with more fields in the last line. {@code found} is the result of {@link #request}, without the
   * entry that is asked about.
   */
  public static List<ObjectNode> of(
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
                            hit.entry().name(),
                            hit.entry().entry().isFact() ? Kind.FACTS : Kind.NOTES,
                            matched(hit),
                            whole(hit.entry().entry(), asked.text().content()),
                            hit.similarity()))
                .toList());
    double nearDuplicate = PairKind.NEAR_DUPLICATE_FROM;
    AlreadySaid said = question.byVectors(nearDuplicate);
    List<ObjectNode> lines =
        new SearchAnswer(found.hits().stream().limit(limit).toList(), found.coverage()).toJson();
    ObjectNode last = lines.getLast();
    Optional<String> unread = Optional.empty();
    boolean isReadable =
        said.answer() != AlreadySaid.Answer.YES && !question.worthReading().isEmpty();
    if (judge.isPresent() && isReadable) {
      try (PairReader reader = judge.get().open()) {
        said = question.read(reader, judge.get().judge(), nearDuplicate);
      } catch (EmbeddingException e) {
        unread = Optional.of(e.getMessage());
      }
    }
    last.put("alreadySaid", Json.word(said.answer()));
    said.entry()
        .ifPresent(
            name -> {
              last.put("entry", name);
              found.hits().stream()
                  .map(SearchIndex.Hit::entry)
                  .filter(entry -> entry.name().equals(name))
                  .findFirst()
                  .ifPresent(entry -> last.put("title", PrintableText.line(entry.title())));
            });
    said.probability().ifPresent(p -> last.put("probability", Json.sixDecimals(p)));
    said.differs().ifPresent(what -> last.put("differs", what));
    unread.ifPresent(why -> last.put("unread", why));
    return lines;
  }

  /**
   * Returns the content of an entry; leaves out the title if the entry is a note or a section of a
   * note. If the first line of the asked text is that title, or its last heading, this line
   * replaces the title.
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

  private static String matched(SearchIndex.Hit hit) {
    Entry entry = hit.entry().entry();
    return PrintableText.beginning(
        hit.passage().start() == 0 ? entry.text().content() : hit.passage().text(entry),
        SearchAnswer.MAX_TEXT);
  }
}
