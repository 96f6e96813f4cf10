package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Interruption;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** findings, dismiss, done, undo, search and reviews from the command line, without a daemon. */
class FindingsCommandsTest {
  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private String kb;

  private int run(String... arguments) {
    out.reset();
    err.reset();
    Console console =
        new Console(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add(1, "--set=cache=" + folder.resolve("cache"));
    return HelixBg.commandLine(console, Interruption.watch()).execute(all.toArray(String[]::new));
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out.toByteArray());
  }

  private List<String> open() throws IOException {
    assertEquals(0, run("findings", kb, "--json"), err::toString);
    return json().findValuesAsText("id");
  }

  @Test
  void whatIsDealtWithLeavesTheReportAndComesBack() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(1));
    writer.append("cache", "The cache keeps stale leases after a restart of the broker.");
    writer.append("cache", "The cache keeps stale leases after a restart of the broker!");
    writer.append("build", "Maven needs a toolchain of version 25.");
    kb = writer.kb().folder().toString();
    assertEquals(ExitCode.KB.number(), run("findings", kb));
    assertTrue(err.toString().contains("no report yet"), err::toString);
    assertEquals(0, run("one-shot", kb), err::toString);
    String id = open().stream().filter(i -> i.startsWith("dup-")).findFirst().orElseThrow();

    assertEquals(ExitCode.USAGE.number(), run("dismiss", "--kb", kb, "dup-0000000000"));
    assertTrue(err.toString().contains("there is no finding dup-0000000000"), err::toString);
    assertEquals(ExitCode.USAGE.number(), run("undo", "--kb", kb, id));

    assertEquals(0, run("dismiss", "--kb", kb, id), err::toString);
    assertTrue(!open().contains(id), "it left the report at once");
    assertEquals(0, run("findings", kb, "--settled", "--json"));
    assertEquals("dismissed", json().get(0).path("decision").asText());
    assertEquals("cache:0 ~ cache:1", json().get(0).path("about").asText());

    assertEquals(0, run("done", "--kb", kb, id), err::toString);
    assertEquals(0, run("findings", kb, "--settled"));
    assertTrue(out.toString().contains("done"), out::toString);
    assertEquals(0, run("undo", "--kb", kb, id), err::toString);
    assertTrue(open().contains(id));

    assertEquals(0, run("search", "--kb", kb, "--json", "-n", "1", "build", "tool"), err::toString);
    assertEquals("build:0", json().path("name").asText());
    assertEquals(0, run("synthesize", "--kb", kb, "--json"), err::toString);
    assertTrue(json().path("summary").asText().startsWith("3 new entries"), out::toString);
    assertEquals(0, run("drift", "--kb", kb), err::toString);
    assertEquals(0, run("stale", "--kb", kb, "cache"), err::toString);
    assertTrue(out.toString().contains("in cache"), out::toString);
  }
}
