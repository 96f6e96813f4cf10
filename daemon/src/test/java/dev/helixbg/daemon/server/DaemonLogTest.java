package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonLogTest {
  @TempDir Path folder;

  private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

  private LoggerContext start(Map<String, String> flags, boolean atTerminal, long fileBytes) {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter()); // as logback's SLF4J provider does
    PrintStream err = new PrintStream(terminal, true, StandardCharsets.UTF_8);
    DaemonLog.start(
        context,
        new DaemonHome(folder),
        DaemonFixture.settings(folder, flags).daemon(),
        new Console(err, err, false, atTerminal),
        fileBytes);
    return context;
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(folder.resolve("logs/helix-bg.log"));
  }

  @Test
  void aLineIsALineWhateverIsLogged() throws IOException {
    LoggerContext context = start(Map.of(), false, 1 << 20);
    Logger log = context.getLogger("dev.helixbg.test");
    log.info("topic {}", "a\n2026-01-01 ERROR forged \u001b[31m\u202e");
    log.debug("not at this level");
    context.getLogger("ai.djl").info("not of this library");
    context.stop();
    assertEquals(1, lines().size());
    assertTrue(
        lines().getFirst().matches("\\d{4}-\\d\\d-\\d\\d .* INFO  topic a␊2026-01-01 ERROR.*"),
        lines().getFirst());
    assertFalse(lines().getFirst().contains("\u001b"));
    assertEquals(0, terminal.size(), "nothing is written to what is no terminal");
  }

  @Test
  void neitherMessagesNorExceptionsActOnWhatShowsTheFile() throws IOException {
    LoggerContext context = start(Map.of(), false, 1 << 20);
    Logger log = context.getLogger("dev.helixbg.test");
    for (String text : HostileText.CORPUS) {
      log.warn(text, new IOException(text, new IOException(text)));
    }
    context.stop();
    HostileText.assertHarmless(Files.readString(folder.resolve("logs/helix-bg.log")), "the log");
    assertEquals(
        HostileText.CORPUS.size(),
        lines().stream().filter(line -> !line.startsWith("    ")).count(),
        "an exception begins no line that looks like an event");
  }

  @Test
  void theLevelIsThatOfTheSettingsAndATerminalSeesItToo() throws IOException {
    LoggerContext context = start(Map.of("daemon.log_level", "debug"), true, 1 << 20);
    context.getLogger("dev.helixbg.test").debug("of interest");
    context.stop();
    assertTrue(lines().getFirst().endsWith("DEBUG of interest"), lines().toString());
    assertTrue(terminal.toString(StandardCharsets.UTF_8).contains("DEBUG of interest"));
  }

  @Test
  void filesRollAndStayFewAndAreForTheirUserAlone() throws Exception {
    LoggerContext context = start(Map.of(), false, 2_000);
    Logger log = context.getLogger("dev.helixbg.test");
    for (int i = 0; i < 40; i++) {
      for (int n = 0; n < 30; n++) {
        log.info("a line of some length, number {}", i * 30 + n);
      }
      Thread.sleep(25);
    }
    context.stop();
    List<String> files = OnDisk.names(folder.resolve("logs"));
    assertTrue(files.size() > 1 && files.size() <= DaemonLog.FILES, files.toString());
    for (String name : files) {
      assertEquals("rw-------", OnDisk.mode(folder.resolve("logs").resolve(name)), name);
    }
    assertTrue(lines().getLast().endsWith("1199"));
  }

  @Test
  void logsThatAreLinksAreRefused() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Files.createDirectory(folder.resolve("logs"));
    Files.createSymbolicLink(folder.resolve("logs/helix-bg.log"), victim);
    Failure refused = assertThrows(Failure.class, () -> start(Map.of(), false, 1 << 20));
    assertTrue(refused.getMessage().contains("it is a link"), refused.getMessage());
    assertEquals("private", Files.readString(victim));
  }
}
