package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.Whole;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOError;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Curses;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;

public final class TidyTerminal implements Desk {
  private static final List<Capability> LEAVE =
      List.of(Capability.cursor_normal, Capability.exit_ca_mode);

  /** Turns on bracketed paste: the terminal puts a pasted text between two sequences. */
  private static final String PASTES_MARKED = "\033[?2004h";

  private static final String PASTES_TYPED = "\033[?2004l";
  private static final String PASTE_ENDS = "\033[201~";

  private static final String DUMB = "dumb";
  private static final String OTHER = "other";
  private static final int LEAST_COLUMNS = 20;
  private static final int LEAST_ROWS = 5;

  private static final Size USUAL = new Size(80, 24);

  private final Terminal terminal;
  private final ActRun acts;
  private final World world;
  private final Display display;
  private final BindingReader keys;
  private final KeyMap<String> names = new KeyMap<>();
  private final boolean isPlain;
  private final Ink ink;
  private Attributes before;
  private TidySession session;

  /**
   * The environment of a session.
   *
   * @param colour whether the session may use colours
   * @param out standard output, which works even after JLine has closed the terminal
   */
  public record World(
      Map<String, String> environment,
      UserDirectories locations,
      DaemonLink daemon,
      boolean colour,
      PrintStream out) {}

  TidyTerminal(Terminal terminal, ActRun acts, World world, boolean isPlain) {
    this.terminal = terminal;
    this.acts = acts;
    this.world = world;
    this.display = new Display(terminal, true);
    this.keys = new BindingReader(terminal.reader());
    this.isPlain = isPlain;
    this.ink = new Ink(world.colour(), isPlain);
    bind();
  }

  /** {@code halfDone} is the page about an act that stopped halfway; empty after the next key. */
  public record Summary(
      int done, int dismissed, int left, boolean isInterrupted, List<String> halfDone) {}

  /**
   * Runs a session until the user quits, interrupts it or closes the terminal; decisions are kept.
   * Fails if standard input or output is not a terminal.
   */
  public static Summary run(ActRun acts, World world) throws IOException, InterruptedException {
    String type = world.environment().getOrDefault("TERM", DUMB);
    FutureTask<Terminal> opening = new FutureTask<>(() -> open(type));
    Thread.ofPlatform().daemon().name("terminal").start(opening);
    TidyList list = new TidyList(acts);
    Optional<Failure> noReport = Optional.empty();
    try {
      list.look(); // done while the terminal is opened
    } catch (Failure e) {
      noReport = Optional.of(e);
    }
    try (Terminal terminal = opening.get()) {
      if (noReport.isPresent()) {
        throw noReport.get();
      }
      return new TidyTerminal(terminal, acts, world, type.equals(DUMB)).run(list);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Failure none) {
        throw none;
      }
      throw new IOException(e.getCause());
    }
  }

  private static Terminal open(String type) throws IOException {
    try {
      return TerminalBuilder.builder()
          .name("helix-bg")
          .system(true)
          .provider(TerminalBuilder.PROP_PROVIDER_FFM)
          .dumb(false)
          .encoding(UTF_8)
          .graphemeCluster(false) // asking the terminal for this feature takes 0.5 s and loses keys
          .type(type.equals(DUMB) ? "ansi" : type) // JLine reads no keys from a dumb terminal
          .build();
    } catch (IllegalStateException e) {
      throw Failure.usage(
          "tidy needs a terminal, but standard input or output is not a terminal. Without a"
              + " terminal, list the findings with helix-bg findings, and carry out a finding"
              + " with helix-bg act ID --as same --run");
    }
  }

  private void bind() {
    names.setNomatch(OTHER);
    names.setUnicode(OTHER);
    names.setAmbiguousTimeout(25);
    names.bind("enter", "\r", "\n", "\033OM"); // the last one is the Enter of a keypad
    names.bind(Page.PASTED, "\033[200~");
    names.bind("esc", KeyMap.esc());
    names.bind("backspace", KeyMap.del(), KeyMap.ctrl('H'));
    names.bind("ctrl-c", KeyMap.ctrl('C'), KeyMap.ctrl('D'));
    names.bind("ctrl-l", KeyMap.ctrl('L'));
    bind("up", Capability.key_up, "\033[A", "\033OA");
    bind("down", Capability.key_down, "\033[B", "\033OB");
    bind("pgup", Capability.key_ppage, "\033[5~");
    bind("pgdn", Capability.key_npage, "\033[6~");
    bind("home", Capability.key_home, "\033[H", "\033OH");
    bind("end", Capability.key_end, "\033[F", "\033OF");
  }

  private void bind(String name, Capability capability, String... usual) {
    String sequence = KeyMap.key(terminal, capability);
    if (sequence != null && !sequence.isEmpty()) {
      names.bind(name, sequence);
    }
    names.bind(name, usual);
  }

  Summary run(TidyList list) throws IOException, InterruptedException {
    boolean interrupted = false;
    session = new TidySession(list, acts, ink, this);
    begin();
    try {
      terminal.handle(Signal.WINCH, _ -> drawAnew());
      while (!session.isOver()) {
        draw();
        // The plan of an act needs a preparation, which runs while the user reads.
        Thread.ofVirtual().start(list.findings().present().entries()::prepare);
        String key = read();
        Whole.of(() -> press(key)); // a signal does not stop an act halfway
      }
    } catch (InterruptedException | IOException | RuntimeException e) {
      if (!ErrorReporter.wasInterrupted(e) && !isClosed()) {
        throw e;
      }
      interrupted = true;
    } finally {
      end();
    }
    return session.summary(interrupted);
  }

  private synchronized Void press(String key) throws IOException, InterruptedException {
    if (key.equals("ctrl-l")) {
      display.clear();
    } else {
      session.key(key);
    }
    return null;
  }

  private String read() throws InterruptedException {
    String name = next();
    if (name.equals(Page.PASTED)) {
      return name + pasted();
    }
    if (!name.equals(OTHER)) {
      return name;
    }
    String typed = keys.getLastBinding();
    if (!typed.equals(KeyMap.esc()) || !keys.getCurrentBuffer().matches("[\\[O].*")) {
      return typed;
    }
    next(); // [ or O: the key sends a sequence that has no name here
    do {
      next();
    } while (keys.getLastBinding().matches("[ -?\\[]")); // not the sequence's last character
    return OTHER;
  }

  private String next() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    String name;
    try {
      name = keys.readBinding(names);
    } catch (IOError e) {
      throw new InterruptedException("the terminal is gone");
    }
    if (name == null || name.equals("ctrl-c") || Thread.interrupted()) {
      throw new InterruptedException();
    }
    return name;
  }

  private String pasted() throws InterruptedException {
    StringBuilder text = new StringBuilder();
    int end = -1;
    while (end < 0) {
      int read = keys.readCharacter();
      if (read < 0) {
        throw new InterruptedException("the terminal is gone");
      }
      end = text.appendCodePoint(read).indexOf(PASTE_ENDS, text.length() - PASTE_ENDS.length());
    }
    return text.substring(0, end);
  }

  private void begin() {
    before = terminal.enterRawMode();
    Attributes raw = terminal.getAttributes();
    // Ctrl-C is read as a key, because a signal would also reach helix
    raw.setLocalFlag(LocalFlag.ISIG, false);
    terminal.setAttributes(raw);
    if (!isPlain) {
      terminal.puts(Capability.enter_ca_mode);
      terminal.writer().write(PASTES_MARKED);
      terminal.puts(Capability.cursor_invisible);
      terminal.flush();
      display.clear(); // otherwise the screen would start at the old place of the cursor
    }
  }

  /** Whether JLine has closed the terminal. After a signal, JLine closes it even during an act. */
  private boolean isClosed() {
    try {
      terminal.writer();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private void end() {
    try {
      if (!isPlain) {
        terminal.writer().write(PASTES_TYPED);
        LEAVE.forEach(terminal::puts);
        terminal.flush();
      }
      terminal.setAttributes(before);
    } catch (IllegalStateException e) { // JLine closed the terminal, and restored only attributes
      if (!isPlain) {
        world.out().print(PASTES_TYPED);
        LEAVE.forEach(one -> Curses.tputs(world.out(), terminal.getStringCapability(one)));
        world.out().flush();
      }
    }
  }

  private Size size() {
    Size size = terminal.getSize();
    return size.getColumns() <= 0 || size.getRows() <= 0
        ? USUAL
        : new Size(
            Math.max(LEAST_COLUMNS, size.getColumns()), Math.max(LEAST_ROWS, size.getRows()));
  }

  private synchronized void drawAnew() {
    display.clear();
    draw();
  }

  private synchronized void draw() {
    Size size = size();
    draw(session.screen(size.getColumns(), size.getRows()), size);
  }

  private synchronized void draw(List<AttributedString> lines, Size size) {
    if (isPlain) {
      lines.stream()
          .map(AttributedString::toString)
          .filter(line -> !line.isEmpty())
          .forEach(terminal.writer()::println);
      terminal.flush();
      return;
    }
    display.resize(size.getRows(), size.getColumns());
    display.update(lines, 0);
  }

  @Override
  public Optional<Path> helix() {
    return HelixServer.find(acts.settings(), world.environment().getOrDefault("PATH", ""));
  }

  @Override
  public Helix startHelix() {
    return HelixServer.start(helix().orElseThrow(), acts.store().kb());
  }

  @Override
  public void working(String words) {
    Size size = size();
    List<AttributedString> lines = session.screen(size.getColumns(), size.getRows());
    lines.set(lines.size() - 1, ink.warning(words + " …"));
    draw(lines, size);
  }

  @Override
  public void decided() {
    Thread.ofVirtual().start(() -> world.daemon().hint(acts.store().kb()));
  }

  @Override
  public void copy(String text) {
    terminal
        .writer()
        .write("\033]52;c;" + Base64.getEncoder().encodeToString(text.getBytes(UTF_8)) + "\007");
    terminal.flush();
  }

  /** Starts the editor through a shell, as git does, since {@code EDITOR} may contain options. */
  @Override
  public Optional<String> edit(List<Path> files) throws IOException, InterruptedException {
    String editor = editor(world.environment());
    if (editor.isEmpty()) {
      return Optional.of("neither $VISUAL nor $EDITOR names an editor");
    }
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", editor + " \"$@\" 2>&1", "sh"));
    files.forEach(file -> command.add(file.toString()));
    end();
    try {
      terminal.pause(true);
      int code = new ProcessBuilder(command).inheritIO().start().waitFor();
      return code == 0 ? Optional.empty() : Optional.of("the editor ended with " + code);
    } finally {
      terminal.resume();
      begin();
    }
  }

  static String editor(Map<String, String> variables) {
    return Stream.of("VISUAL", "EDITOR")
        .map(name -> variables.getOrDefault(name, ""))
        .filter(Predicate.not(String::isBlank))
        .findFirst()
        .orElse("");
  }

  @Override
  public Trash trash() {
    boolean isMac = System.getProperty("os.name").startsWith("Mac");
    Path home = world.locations().home();
    Path data =
        Optional.ofNullable(world.environment().get("XDG_DATA_HOME"))
            .filter(path -> path.startsWith("/"))
            .map(Path::of)
            .orElse(home.resolve(".local/share"));
    return new Trash(isMac ? home.resolve(".Trash") : data.resolve("Trash"), isMac);
  }
}
