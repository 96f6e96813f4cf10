package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that logs written by a real helix server contain exactly the entries that the server
 * listed.
 */
class SharedLogsTest {

  @ParameterizedTest
  @ValueSource(strings = {"01-fresh", "02-edited", "03-compacted", "04-appended"})
  void yieldsExactlyTheEntriesThatHelixLists(String name) throws Exception {
    Path file = Path.of(getClass().getResource("/kb/" + name + ".log").toURI());
    LogReading reading = DataLog.read(file);

    JsonNode expected =
        new ObjectMapper().readTree(getClass().getResource("/kb/expected.json")).get(name);
    assertEquals(expected.size(), reading.entries().size());
    for (int i = 0; i < expected.size(); i++) {
      Entry entry = reading.entries().get(i);
      assertEquals(expected.get(i).get("offset").asLong(), entry.offset());
      assertEquals(expected.get(i).get("topic").asText(), entry.topic());
      assertEquals(expected.get(i).get("body").asText(), entry.body());
      assertEquals(expected.get(i).get("timestamp_min").asInt(), entry.timestampMin());
    }
    byte[] bytes = Files.readAllBytes(file);
    String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    LogAccount account = reading.account();
    assertEquals(List.of(), account.damage());
    assertEquals(bytes.length, account.bytes());
    assertEquals(sha256, account.sha256());
    assertEquals(expected.size(), account.live());
    assertEquals(expected.size() + account.deletes(), account.entries());
  }
}
