package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that each format of an early report says that it is a first look. */
class FirstLookTest {
  private static final String WORDS =
      "This is a first look. Still to come: 1,200 passages of 300 long entries to be read, and 45"
          + " questions to the language model.";

  @Test
  void eachFormSaysWhatIsStillToCome() throws Exception {
    Report whole = KbFixtures.small().report();
    Report look =
        new Report(
            whole.findings(),
            whole.log(),
            whole.run(),
            whole.judgements(),
            Optional.of(new FirstLook(0, 300, 1_200, 0, 45)),
            whole.sources(),
            whole.secrets(),
            whole.notes());
    assertTrue(HtmlReport.render(look).contains(WORDS));
    assertTrue(MarkdownReport.render(look).contains("**" + WORDS));
    assertTrue(TerminalSummaryTest.plain(look).replace('\n', ' ').contains(WORDS));
    JsonNode json = KbFixtures.tree(look).path("firstLook");
    assertEquals(
        "{\"unread\":0,\"entries\":300,\"passages\":1200,\"pairs\":0,\"questions\":45}",
        json.toString());
  }

  @Test
  void onlyWhatIsStillToComeIsNamed() {
    assertWords(
        " at the newest entries. Still to come: 1,488 older entries, and 3 passages of 2 long"
            + " entries",
        new FirstLook(1_488, 2, 3, 0, 0));
    assertWords(". Still to come: 1 question to the language model.", new FirstLook(0, 0, 0, 0, 1));
    assertWords(". Still to come: 2 passages of 1 long entry to be", new FirstLook(0, 1, 2, 0, 0));
  }

  private static void assertWords(String words, FirstLook look) {
    assertTrue(look.words().startsWith("This is a first look" + words), look.words());
  }
}
