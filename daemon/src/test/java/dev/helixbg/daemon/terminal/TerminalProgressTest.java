package dev.helixbg.daemon.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalProgressTest {
  private static String shown(boolean terminal) throws InterruptedException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Console console = new Console(err, err, false, terminal);
    try (Progress progress = TerminalProgress.on(console).begin("Labelling", 40)) {
      progress.step(10, 10);
      Thread.sleep(1_500); // the bar redraws every 0.2 s, and shows a rate after a second
      progress.step(7, 7);
      for (int i = 0; i < 600 && !bytes.toString(StandardCharsets.UTF_8).contains("17/40"); i++) {
        Thread.sleep(terminal ? 100 : 1); // until the bar is drawn, also on a busy machine
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void atATerminalItTellsWhatIsDoneHowFastAndHowLongItTakes() throws Exception {
    String bar = shown(true);
    assertTrue(bar.contains("Labelling"), bar);
    assertTrue(bar.contains("17/40"), bar);
    assertTrue(bar.contains("/s"), bar);
    assertTrue(bar.matches("(?s).*\\(0:0\\d:\\d\\d / 0:0\\d:\\d\\d\\).*"), bar);
  }

  @Test
  void elsewhereOnlyWhatTakesLongIsNamedWhenItBegins() throws Exception {
    assertEquals("", shown(false));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Progress.Display display = TerminalProgress.on(new Console(bytes, bytes, false, false));
    try (Progress progress = display.begin("Embedding", 1261)) {
      progress.step(1, 1);
    }
    assertEquals(
        "Embedding: 1,261 to do\n",
        bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n"));
  }
}
