package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class ToolAnswersTest {
  @Test
  void namesBesideTheHitsArePrintableAndShort() {
    ObjectNode last = Json.object().put("alreadySaid", "perhaps").put("probability", 0.5);
    last.putObject("coverage").put("indexed", 1).put("total", 1);
    last.put("entry", "a\u202E\u001B[2J:0").put("differs", "words: " + "x".repeat(1_000));
    ObjectNode result = ToolAnswers.hits(new KbRouter.Answer(List.of(last), true));
    assertEquals(PrintableJson.line("a\u202E\u001B[2J:0", 300), result.path("entry").asText());
    assertEquals(-1, result.path("entry").asText().indexOf('\u202E'));
    assertEquals(300, result.path("differs").asText().length());
    assertEquals(0.5, result.path("probability").asDouble());
    assertEquals("{\"indexed\":1,\"total\":1}", result.path("coverage").toString());
  }
}
