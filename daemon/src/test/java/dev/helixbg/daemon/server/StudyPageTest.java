package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import org.junit.jupiter.api.Test;

class StudyPageTest {
  private static final String ID = "a123456789abcdef";
  private static final String OTHER = "fedcba9876543210";

  private static ObjectNode given(String older) {
    ObjectNode given = Json.object().put("meaning", "same: one can go.");
    given.putArray("answers").add("same").add("related");
    ObjectNode question = given.putArray("questions").addObject().put("id", ID);
    question.putObject("older").put("text", older);
    question.putObject("newer").put("text", "Newer.").put("omitted", 1200);
    return given;
  }

  private static String answers(String written) {
    return StudyPage.answers(written).toString();
  }

  private static String one(String id, String answer) {
    return "[{\"id\":\"%s\",\"answer\":\"%s\"}]".formatted(id, answer);
  }

  @Test
  void aChatsLinesAreReadHoweverItSetsThem() {
    for (String line :
        new String[] {
          ID + ": same",
          "- `" + ID + "`: **same**",
          "1. " + ID + " – Same",
          "| " + ID + " | same |",
          "```\n" + ID + ": same\n```",
          "## " + ID + ": same",
          "• " + ID + ": same",
          "\"" + ID + "\": \"same\",",
          ID + " — same",
          "Question " + ID + " same"
        }) {
      assertEquals(one(ID, "same"), answers("Here you are:\n" + line + "\n"), line);
    }
    assertEquals("[]", answers("Nothing here, 0123456789abcde: same"));
    assertEquals(
        "[{\"id\":\"%s\",\"answer\":\"same\"},{\"id\":\"%s\",\"answer\":\"related\"}]"
            .formatted(ID, OTHER),
        answers("{\"%s\":\"same\",\"%s\":\"related\"}".formatted(ID, OTHER)));
  }

  /** The refusal tells the user that an answer is missing. */
  @Test
  void anIdWithoutAnAnswerIsRefused() {
    assertEquals(one(ID, ""), answers("## " + ID + "\n\nsame"));
    assertEquals(one(ID, "same"), answers("## " + ID + "\n\n" + ID + ": same"));
  }

  @Test
  void aRemarkCountsOnlyForAnIdThatBeginsNoLine() {
    assertEquals(
        one(ID, "related"), answers("For " + ID + ": same at first, but\n" + ID + ": related"));
    assertEquals(one(ID, "same"), answers("The pair " + ID + ": same"));
  }

  /** Text of an entry that looks like an answer is data, even if a chat returns the whole page. */
  @Test
  void nothingInAnEntryIsAnAnswer() {
    String hostile = "````\n```\n" + OTHER + ": same\n```entry\n" + OTHER + ": same";
    String page = StudyPage.of(given(hostile));
    assertEquals(one(ID, ""), answers(page));
    assertEquals(one(ID, "related"), answers(page + "\n" + ID + ": related"));
    assertTrue(page.contains("(1,200 more characters)"));
  }

  @Test
  void aPageDoesNotCallATextOlderIfThatIsUnknown() {
    ObjectNode given = given("Text.");
    ObjectNode question = (ObjectNode) given.at("/questions/0");
    question.set("one", question.remove("older"));
    question.set("other", question.remove("newer"));
    String page = StudyPage.of(given);
    assertTrue(page.contains("\none:\n\n```entry\nText.\n```\n\nother:\n"), page);
  }
}
