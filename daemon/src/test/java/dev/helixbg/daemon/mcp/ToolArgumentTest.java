package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ToolArgumentTest {
  private static final ToolArgument LIMIT = ToolArgument.number("limit", 1, 20, 5);

  private static int limit(Object given) {
    ObjectNode request = Json.object();
    ToolArgument.put(Map.of("limit", given), List.of(LIMIT), request);
    return request.path("limit").asInt();
  }

  @Test
  void aNumberMayBeWrittenAsAText() {
    assertEquals(3, limit(3));
    assertEquals(3, limit("3"));
    assertEquals(3, limit(" 3 "));
    assertEquals(3, limit(3.0));
    for (Object wrong : List.of("", "x", "3.5", "21", "0", "-1", "99999999999", 2.5, List.of())) {
      assertThrows(Failure.class, () -> limit(wrong), String.valueOf(wrong));
    }
  }

  @Test
  void argumentsThatAClientAddsAreIgnoredAndMisspelledOnesAreNot() {
    List<ToolArgument> all = List.of(LIMIT, ToolArgument.text("text", 9, "what").needed());
    ObjectNode request = Json.object();
    Map<String, Object> added = Map.of("toolCallId", "7", "random_string", "x", "text", "a");
    ToolArgument.put(added, all, request);
    assertEquals("{\"limit\":5,\"text\":\"a\"}", request.toString());
    assertEquals(
        "there is no argument \"limt\"; did you mean limit?",
        refused(Map.of("text", "a", "limt", 3), all));
    assertEquals(
        "\"text\" is missing: this argument is required; the arguments are: limit, text",
        refused(Map.of("query", "a"), all));
    assertEquals("\"text\" must be a string", refused(Map.of("text", 7), all));
    assertEquals(
        "\"text\" may have 9 characters at most, this has 10: shorten it",
        refused(Map.of("text", "x".repeat(10)), all));
  }

  private static String refused(Map<String, Object> given, List<ToolArgument> all) {
    return assertThrows(Failure.class, () -> ToolArgument.put(given, all, Json.object()))
        .getMessage();
  }

  /** Some clients write a list as a text. */
  @Test
  void answersMayBeJsonInAText() {
    List<ToolArgument> answers = List.of(ToolArgument.answers(2));
    String json = "[{\"id\":\"a\",\"answer\":\"same\"}]";
    ObjectNode request = Json.object();
    ToolArgument.put(Map.of("answers", json), answers, request);
    assertEquals(json, request.path("answers").toString());
    for (String wrong : List.of("", "[", "{}", "7", "\"[]\"", "[1,2,3]")) {
      Map<String, Object> given = Map.of("answers", wrong);
      Failure failure =
          assertThrows(Failure.class, () -> ToolArgument.put(given, answers, Json.object()), wrong);
      assertEquals(ExitCode.USAGE, failure.code());
    }
  }

  @Test
  void theSchemaHasTheLongestText() {
    assertEquals(
        SearchRequest.MAX_TEXT,
        ToolArgument.text("text", SearchRequest.MAX_TEXT, "what").schema().get("maxLength"));
  }
}
