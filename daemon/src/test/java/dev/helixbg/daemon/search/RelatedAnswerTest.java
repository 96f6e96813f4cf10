package dev.helixbg.daemon.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.search.AlreadySaid;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RelatedAnswerTest {
  private static final String NOTE = "[source: mail.md]\n";

  @TempDir Path folder;

  /** helix-bg itself puts the title before the text of a note. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mail server | The port is 8080. | YES |",
        "Mail server | # Mail server%n%nThe port is 8080. | YES |",
        "Mail server%nAlso called post | # **Mail** server%n%nThe port is 8080. | YES |",
        "Mail server › Ports | ## Ports%nThe port is 8080. | YES |",
        "Mail server | The port is 9090. | PERHAPS | numbers: 8080, 9090",
        "Mail server | # Mail server%n%nThe port is 9090. | PERHAPS | numbers: 8080, 9090",
        "Not done | done%n%nThe port is 8080. | PERHAPS | words: done"
      })
  void aNoteIsComparedWithItsTitleOnlyIfTheTextHasTheTitle(
      String title, String asked, AlreadySaid.Answer answer, String differs) throws Exception {
    String body = NOTE + title.formatted() + "\n\nThe port is 8080.";
    AlreadySaid said = said(Entry.of(0, "./", body, 0), asked.formatted());
    assertEquals(answer, said.answer());
    assertEquals(Optional.ofNullable(differs), said.differs());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mail | Mail server%n%nThe port is 8080.",
        "./ | [source: M.md]%n[part: item “Mail”]%nMail server%n%nThe port is 8080."
      })
  void theFirstLineOfAnEntryOrItemBelongsToIt(String topic, String body) throws Exception {
    Entry entry = Entry.of(0, topic, body.formatted(), 0);
    assertEquals(AlreadySaid.Answer.PERHAPS, said(entry, "The port is 8080.").answer());
    assertEquals(AlreadySaid.Answer.YES, said(entry, "Mail server\n\nThe port is 8080.").answer());
  }

  private AlreadySaid said(Entry entry, String asked) throws Exception {
    Passage all = new Passage(0, entry.text().content().length());
    SearchHit hit =
        new SearchHit("a:0", "id", "title", 1, 0.95, entry.text().content(), all, "", entry);
    return RelatedAnswer.of(
            RelatedAnswer.unstored("./", asked),
            new SearchAnswer(List.of(hit), new Coverage(1, 1)),
            1,
            DaemonFixture.settings(folder, Map.of()),
            Optional.<PairSource>empty())
        .said();
  }
}
