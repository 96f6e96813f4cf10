package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jline.utils.ScreenTerminal;

/** Shows the screen of a program at a pseudo-terminal, as a person sees it. */
final class TestScreen implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Pattern at which a screen of tidy begins: its first line. */
  private static final Pattern BEGINNING =
      Pattern.compile("(?m)^(?=(\\d+ of \\d+, )?\\d+ done, \\d+ dismissed(?! in this))");

  private final Process process;
  private final Path out;
  private final boolean isDumb;
  private final ScreenTerminal shown = new ScreenTerminal(80, 24);
  private int fed;
  private int seen;

  /**
   * @param process process of {@code script(1)}, whose output goes to {@code out}
   */
  TestScreen(Process process, Path out, String terminal) {
    this.process = process;
    this.out = out;
    this.isDumb = terminal.equals("dumb");
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns all output so far. */
  String text() throws IOException {
    return written().replace("\r\n", "\n");
  }

  /** Returns the output without an incomplete character at its end. */
  private String written() throws IOException {
    byte[] bytes = Files.readAllBytes(out);
    CharBuffer text = CharBuffer.allocate(bytes.length);
    UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .decode(ByteBuffer.wrap(bytes), text, false);
    return text.flip().toString();
  }

  /** Returns the present screen; on a dumb terminal, the last printed screen. */
  String now() throws IOException {
    if (isDumb) {
      return BEGINNING.splitAsStream(rest()).reduce("", (_, last) -> last);
    }
    String text = written();
    shown.write(text.substring(fed));
    fed = text.length();
    int columns = shown.getColumns();
    long[] cells = new long[columns * shown.getRows()];
    shown.dump(cells, new int[2]);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      int point = ScreenTerminal.cellCodePoint(cells[i]);
      lines.appendCodePoint(point == 0 ? ' ' : point);
      if (i % columns == columns - 1) {
        lines.append('\n');
      }
    }
    return lines.toString().replaceAll(" +\n", "\n");
  }

  /** Returns the output since the last key. */
  String rest() throws IOException {
    return text().substring(seen);
  }

  void type(String key) throws IOException {
    seen = text().length();
    try {
      process.getOutputStream().write(key.getBytes(UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      // the program has ended
    }
  }

  /** Types a key; returns the screen when it contains one of these texts. */
  String press(String key, List<String> texts) throws Exception {
    type(key);
    return await(texts);
  }

  String await(List<String> texts) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      String now = settled();
      if (texts.stream().anyMatch(now::contains)) {
        return now;
      }
    }
    throw new AssertionError("no " + texts + " on:\n" + now());
  }

  /** Returns the screen when the program writes nothing more. */
  String settled() throws Exception {
    int before = -1;
    for (int now = text().length(); now != before; now = text().length()) {
      before = now;
      Thread.sleep(100);
    }
    return now();
  }

  /**
   * Returns the screen after the effects of all keys so far. To detect them, types a key that
   * redraws the screen, three times: up to two redraws may come from changes of size, and look the
   * same.
   */
  String synced() throws Exception {
    for (int i = 0; i < 3; i++) {
      settled();
      type("\f");
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < end
          && isAlive()
          && !rest().contains(isDumb ? " done, " : "\033[2J")) {
        Thread.sleep(20);
      }
    }
    return settled();
  }

  void resize(int columns, int rows) throws Exception {
    Optional<ProcessHandle> java = java();
    if (java.isPresent()) {
      now();
      shown.setSize(columns, rows);
      String terminal = "/proc/" + java.get().pid() + "/fd/0";
      ExternalTool.succeeds("stty", "-F", terminal, "cols", "" + columns, "rows", "" + rows);
    }
  }

  private Optional<ProcessHandle> java() {
    return process
        .descendants()
        .filter(one -> one.info().command().filter(name -> name.endsWith("/java")).isPresent())
        .filter(one -> one.info().commandLine().orElse("").contains("helix-bg.jar"))
        .findFirst();
  }

  /**
   * Ends the program, and waits until helix has ended, too.
   *
   * @param how a key, the name of a signal, or a sentence, which means that the terminal is closed
   */
  void end(String how) throws Exception {
    List<ProcessHandle> all = process.descendants().toList();
    if (how.equals("q")) {
      for (int i = 0; i < 5 && process.isAlive(); i++) {
        type("\033");
        settled();
        type("q");
        settled();
      }
    } else if (how.length() == 1) {
      type(how);
    } else if (how.contains(" ")) {
      process.destroyForcibly();
    } else if (java().isPresent()) {
      ExternalTool.succeeds("kill", "-" + how, "" + java().get().pid());
    }
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      throw new AssertionError(how + " does not end it: " + now());
    }
    for (ProcessHandle one : all) {
      one.onExit().get(1, TimeUnit.MINUTES);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
