package dev.helixbg.daemon.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.search.SearchIndex;
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

  /** The title of a note is not part of its text: helix-bg puts it before the text. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mail server | The port is 8080. | yes |",
        "Mail server | # Mail server%n%nThe port is 8080. | yes |",
        "Mail server%nAlso called post | # **Mail** server%n%nThe port is 8080. | yes |",
        "Mail server › Ports | ## Ports%nThe port is 8080. | yes |",
        "Mail server | The port is 9090. | perhaps | numbers: 8080, 9090",
        "Mail server | # Mail server%n%nThe port is 9090. | perhaps | numbers: 8080, 9090",
        "Not done | done%n%nThe port is 8080. | perhaps | words: done"
      })
  void aNoteIsComparedWithItsTitleOnlyIfTheTextHasTheTitle(
      String title, String asked, String answer, String differs) throws Exception {
    String body = NOTE + title.formatted() + "\n\nThe port is 8080.";
    JsonNode said = said(Entry.of(0, "./", body, 0), asked.formatted());
    assertEquals(answer, said.path("alreadySaid").asText());
    assertEquals(differs, said.path("differs").textValue());
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
    assertEquals("perhaps", said(entry, "The port is 8080.").path("alreadySaid").asText());
    String whole = "Mail server\n\nThe port is 8080.";
    assertEquals("yes", said(entry, whole).path("alreadySaid").asText());
  }

  private JsonNode said(Entry entry, String asked) throws Exception {
    Passage all = new Passage(0, entry.text().content().length());
    SearchIndex.Hit hit = new SearchIndex.Hit(new NamedEntry(entry, 0, "id", false), 1, 0.95, all);
    return RelatedAnswer.of(
            Entry.of(0, "./", asked, 0),
            new SearchAnswer(List.of(hit), new Coverage(1, 1)),
            1,
            DaemonFixture.settings(folder, Map.of()),
            Optional.<PairSource>empty())
        .getLast();
  }
}
