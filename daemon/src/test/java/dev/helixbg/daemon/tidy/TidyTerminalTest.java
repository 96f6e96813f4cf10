package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.insight.decisions.Decision;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests keys and screens as bytes, on in-memory terminals of JLine. */
@Timeout(120)
class TidyTerminalTest {
  private static final String SHORT = "A lease ends after thirty seconds.";
  private static final String LONG = "A lease of a worker ends after thirty seconds, not sooner.";
  private static final String COLOURED = "(?s).*\u001b\\[([0-9;]*;)?3[0-7][;m].*";
  private static final Size SIZE = new Size(80, 24);

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private TidyKb kb;

  @BeforeEach
  void aPair() throws Exception {
    kb = new TidyKb(folder).note("queue", SHORT).note("queue", LONG);
    kb.pair("queue:0", "queue:1");
    kb.report();
  }

  private TidyTerminal.Summary run(Terminal terminal, boolean colour) throws Exception {
    UserDirectories home = UserDirectories.of(Map.of(), folder.resolve("home").toString(), "Linux");
    TidyTerminal.World world =
        new TidyTerminal.World(
            Map.of(),
            home,
            new DaemonLink(DaemonHome.of(home)),
            colour,
            new PrintStream(OutputStream.nullOutputStream()));
    return new TidyTerminal(terminal, kb.acts, world, terminal.getType().equals("dumb"))
        .run(kb.list());
  }

  private TidyTerminal.Summary type(String type, boolean colour, String keys) throws Exception {
    try (LineDisciplineTerminal terminal = new LineDisciplineTerminal("test", type, out, UTF_8)) {
      terminal.setSize(SIZE);
      Thread typist =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      while (!shown()
                          .contains(
                              "\u001b[?25l")) { // the terminal is then in raw mode, so that keys
                        // arrive one by one
                        Thread.sleep(5);
                      }
                      terminal.processInputBytes(keys.getBytes(UTF_8));
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      try {
        return run(terminal, colour);
      } finally {
        typist.join();
      }
    }
  }

  private TidyTerminal.Summary typeAtADumbTerminal(String keys) throws Exception {
    ByteArrayInputStream in = new ByteArrayInputStream(keys.getBytes(UTF_8));
    try (Terminal terminal = new DumbTerminal("test", "dumb", in, out, UTF_8)) {
      return run(terminal, false);
    }
  }

  private String shown() {
    return out.toString(UTF_8);
  }

  @Test
  void keysOfATerminalDismissAFindingAndLeaveTheTerminalAsItWas() throws Exception {
    TidyTerminal.Summary summary = type("xterm-256color", true, "dnoö\u007f\r" + "q");

    assertEquals(new TidyTerminal.Summary(0, 1, 0, false, List.of()), summary);
    Decision made = kb.store.decisions().read().settled().iterator().next();
    assertEquals("no", made.reason());
    String fromAnyPlace = "(?s).*\u001b\\[\\?1049h.*\u001b\\[H\u001b\\[2J.*1 of 1.*";
    assertTrue(shown().matches(fromAnyPlace), shown());
    assertTrue(shown().lastIndexOf("\u001b[?1049l") > shown().lastIndexOf("\u001b[?1049h"));
    assertTrue(shown().lastIndexOf("\u001b[?25h") > shown().lastIndexOf("\u001b[?25l"));
  }

  @Test
  void coloursOnlyWhereTheyAreWanted() throws Exception {
    type("xterm-256color", true, "q");
    assertTrue(shown().matches(COLOURED), shown());
    out.reset();
    type("xterm-256color", false, "q");
    assertFalse(shown().matches(COLOURED), shown());
  }

  @Test
  void arrowsAndEscapeAreKeys() throws Exception {
    assertEquals(1, type("xterm", true, "s\u001b[B\u001bOA\u001bd\rq").dismissed());
    assertEquals(List.of(SHORT, LONG), kb.texts("queue"));
  }

  /** The sign ␛ is the key Escape, ⏎ is Enter. */
  @ParameterizedTest
  @CsvSource({
    "dab␛[D␛[3~␛[1;5C␛[[Ac␛OQ␛OM, abc",
    "␛Oqdx⏎, x",
    "d␛öx⏎, öx",
    "d␛[200~a⏎s⏎⏎␛[201~⏎, a s",
    "d␛[200~q␛[201~␛[200~⏎ö␛[201~⏎, q ö",
    "␛[200~d⏎q␛[201~dx⏎, x"
  })
  void unnamedKeysTypeNothingAndAPastedTextIsNoCommand(String keys, String reason)
      throws Exception {
    byte[] before = Files.readAllBytes(kb.kb.dataLog());
    String typed = keys.replace('␛', '\033').replace('⏎', '\r');
    assertEquals(1, type("xterm-256color", true, typed + "q").dismissed());
    assertEquals(reason, kb.store.decisions().read().settled().iterator().next().reason());
    assertArrayEquals(before, Files.readAllBytes(kb.kb.dataLog()));
    assertTrue(shown().lastIndexOf("\033[?2004l") > shown().lastIndexOf("\033[?2004h"));
  }

  @ParameterizedTest
  @CsvSource({"vi, ed, vi", "'', ed, ed", "' ', '', ''"})
  void theFirstVariableThatNamesAnEditorCounts(String visual, String editor, String used) {
    assertEquals(used, TidyTerminal.editor(Map.of("VISUAL", visual, "EDITOR", editor)));
    assertEquals("ed", TidyTerminal.editor(Map.of("EDITOR", "ed")));
  }

  @Test
  void controlCEndsItAndNothingIsChanged() throws Exception {
    byte[] before = Files.readAllBytes(kb.kb.dataLog());
    assertTrue(type("xterm", true, "s\u0003").isInterrupted());
    assertEquals(before.length, Files.size(kb.kb.dataLog()));
    assertTrue(shown().contains("\u001b[?1049l"));
  }

  @Test
  void theEndOfInputEndsIt() throws Exception {
    assertTrue(typeAtADumbTerminal("n").isInterrupted());
  }

  @Test
  void aDumbTerminalGetsLinesWithoutEscapes() throws Exception {
    assertEquals(1, typeAtADumbTerminal("d\rq").dismissed());
    assertTrue(shown().contains("Dismiss this finding?"), shown());
    assertTrue(shown().contains("[not sooner]"), shown());
    assertFalse(shown().contains("\u001b"), shown());
  }
}
