package dev.helixbg.daemon.kb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFileTest {
  /** What a parser may have read ahead. */
  private static final int AHEAD = 1 << 16;

  /** A report that is made while it is read, relation by relation. */
  private static final class Generated extends InputStream {
    private final IntFunction<Optional<String>> parts;
    private ByteArrayInputStream now = new ByteArrayInputStream(new byte[0]);
    private int next;
    private long read;

    Generated(IntFunction<Optional<String>> parts) {
      this.parts = parts;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException("one byte");
    }

    @Override
    public int read(byte[] bytes, int from, int length) {
      while (now.available() == 0) {
        Optional<String> part = parts.apply(next++);
        if (part.isEmpty()) {
          return -1;
        }
        now = new ByteArrayInputStream(part.get().getBytes(UTF_8));
      }
      int count = now.read(bytes, from, length);
      read += count;
      return count;
    }
  }

  private static final String TEXT = "w".repeat(1_000);

  private static String relation(int i) {
    return """
    {"id":"rel-%010x","rank":%d,"similarity":0.5,"extra":[1,{"x":2}],
     "a":{"name":"t:%d","topic":"t","key":"a%d","text":"%s"},
     "b":{"name":"u:%d","topic":"u","key":"b%d","text":"%s"}},
    """
        .formatted(i, i, i, i, TEXT, i, i, TEXT);
  }

  private static final String HEAD =
      "{\"schema\":9,\"topics\":[{\"id\":\"rel-00\"}],\"leading\":[\"rel-0000000002\"],\"relations\":[";

  @Test
  void aFindingIsHeardOfAsSoonAsItWasRead() throws Exception {
    int count = 20_000; // 42 MB
    Generated report =
        new Generated(
            i ->
                i == 0
                    ? Optional.of(HEAD)
                    : i <= count
                        ? Optional.of(relation(i))
                        : i == count + 1
                            ? Optional.of("{\"id\":\"\"}],\"labels\":[[]],\"merges\":[]}")
                            : Optional.empty());
    int each = relation(1).length();
    List<String> leading = new ArrayList<>();
    int[] seen = new int[1];
    ReportFile.read(
        report,
        new ReportFile.Visitor() {
          @Override
          public boolean finding(String section, JsonNode json) {
            int i = ++seen[0];
            assertEquals("relations", section);
            assertEquals("rel-%010x".formatted(i), json.path("id").asText());
            assertEquals(i, json.path("rank").asInt());
            assertTrue(
                report.read < HEAD.length() + (each + 20L) * i + AHEAD, "holds what it read");
            return true;
          }

          @Override
          public void leading(String id) {
            leading.add(id);
          }
        });
    assertEquals(count, seen[0]); // what has no id of ours is no finding
    assertEquals(List.of("rel-0000000002"), leading);
  }

  @Test
  void whoHasFoundItReadsNoFurther() throws Exception {
    Generated endless = new Generated(i -> Optional.of(i == 0 ? HEAD : relation(i)));
    List<String> about = new ArrayList<>();
    ReportFile.read(
        endless,
        (section, json) -> {
          about.add(json.at("/a/name").asText());
          return about.size() < 3;
        });
    assertEquals(List.of("t:1", "t:2", "t:3"), about);
    assertTrue(endless.read < 2 * AHEAD);
  }

  @Test
  void whatIsNoReportIsDamageOrHasNoFindings() throws Exception {
    for (String text :
        List.of(
            "{}",
            "[]",
            "[{\"relations\":[]}]",
            "3",
            "{\"relations\":{}}",
            "{\"relations\":[1,[],null,{\"id\":\"x\"}]}",
            "{\"leading\":7}")) {
      ReportFile.read(
          new ByteArrayInputStream(text.getBytes(UTF_8)),
          (section, json) -> {
            throw new AssertionError(text);
          });
    }
    for (String text :
        List.of(
            "{\"relations\":[",
            "{\"relations\":[{",
            "{\"leading\":[",
            "{",
            "{\"a\" 1",
            "{\"relations\":[{\"id\":\"rel-0123456789\"")) {
      assertThrows(
          JacksonException.class,
          () ->
              ReportFile.read(
                  new ByteArrayInputStream(text.getBytes(UTF_8)), (section, json) -> true),
          text);
    }
  }

  /** Else nothing would be listed, and that would be taken for nothing found. */
  @Test
  void aReportWithoutTheListIsCalledOld(@TempDir Path folder) throws Exception {
    Kb kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    SealedReports reports = new SealedReports(new ReportSeal(folder.resolve("cache")));
    WrittenReport.write(kb, reports, "{\"relations\":[{\"id\":\"rel-0000000001\"}]}");
    Failure failure = assertThrows(Failure.class, () -> ReportFile.list(kb, reports).findings());
    assertEquals(ExitCode.KB, failure.code());
    assertTrue(failure.getMessage().contains("older helix-bg: run helix-bg one-shot"));
    for (String none :
        List.of(
            "{\"relations\":[],\"labels\":[{}]}",
            "{\"findings\":[1],\"relations\":[]}",
            "{\"findings\":[[]]}",
            "{\"findings\":[{\"topics\":3,\"keys\":[[{}],7]}]}",
            "{\"findings\":[{\"id\":{\"x\":[]}}]}",
            "{\"findings\":7}")) {
      WrittenReport.write(kb, reports, none);
      assertEquals(List.of(), ReportFile.list(kb, reports).findings(), none);
    }
  }
}
