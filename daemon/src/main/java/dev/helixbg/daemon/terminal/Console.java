package dev.helixbg.daemon.terminal;

import dev.helixbg.config.text.PrintableStream;
import dev.helixbg.config.text.PrintableText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * Where output goes: data to {@code out}, progress and errors to {@code err}, both UTF-8 whatever
 * the locale. Every stream but the two for colours and bars lets printable text through only, so
 * that a command need not know which of its texts came from elsewhere.
 *
 * @param json for JSON: what a terminal must not get is escaped, and the value stays the same
 * @param coloured for text with colours of ours, in which every text from elsewhere is printable
 *     already
 * @param bars for progress bars, which move the cursor
 * @param colour whether {@code out} may carry ANSI colours
 * @param animated whether {@code err} may carry a progress bar
 */
public record Console(
    PrintStream out,
    PrintStream json,
    PrintStream coloured,
    PrintStream err,
    PrintStream bars,
    boolean colour,
    boolean animated) {

  public Console(OutputStream out, OutputStream err, boolean colour, boolean animated) {
    this(
        print(PrintableStream.text(out)),
        print(PrintableStream.json(out)),
        print(out),
        print(PrintableStream.text(err)),
        print(err),
        colour,
        animated);
  }

  /**
   * The console that scripts/helix-bg prepared, or a plain one when started without it.
   *
   * <p>The launcher says which of stdout (1) and stderr (2) are terminals, because Java can tell so
   * only of both at once. It passes stderr as descriptor 3 too: the JVM's own descriptor 2 then
   * goes through a filter that drops the warning about incubating modules. For {@code mcp} it
   * passes stdout as descriptor 4: the JVM's own descriptor 1 is then stderr, and whatever natives
   * and the JVM print there cannot break the protocol.
   */
  public static Console of(Map<String, String> environment) {
    String terminals = environment.getOrDefault("HELIX_BG_LAUNCHER_TERMINALS", "");
    boolean plain =
        !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Console(
        new FileOutputStream(
            environment.containsKey("HELIX_BG_LAUNCHER_STDOUT")
                ? passed(4, FileDescriptor.out)
                : FileDescriptor.out),
        new FileOutputStream(
            environment.containsKey("HELIX_BG_LAUNCHER_STDERR")
                ? passed(3, FileDescriptor.err)
                : FileDescriptor.err),
        terminals.contains("1") && !plain,
        terminals.contains("2") && !plain);
  }

  /**
   * The descriptor itself. Opening {@code /dev/fd/3} would give a file another position: the
   * shell's next command would write over our messages; and a socket cannot be opened at all.
   */
  private static FileDescriptor passed(int number, FileDescriptor otherwise) {
    try {
      Constructor<FileDescriptor> of = FileDescriptor.class.getDeclaredConstructor(int.class);
      of.setAccessible(true); // the jar's manifest opens the package
      return of.newInstance(number);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return otherwise; // the filter on stderr passes everything on
    }
  }

  /** A word of a command that is printed, as a shell takes it for that one word. */
  public static String shellWord(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Prints a line of data, its numbers written alike in every locale; values stay on the line. */
  public void say(String format, Object... values) {
    out.println(line(format, values));
  }

  /** Prints a line beside the data, as {@link #say} does. */
  public void note(String format, Object... values) {
    err.println(line(format, values));
  }

  /** Prints a message to the user, as {@link #say} does. */
  public void warn(String format, Object... values) {
    note("helix-bg: " + format, values);
  }

  /**
   * The exit code of a command that ended with this one: another where stdout did not take all, as
   * on a full disk or where its reader is gone.
   */
  public int checked(int code) {
    boolean failed = out.checkError() | json.checkError() | coloured.checkError();
    if (!failed || code != ExitCode.OK.number()) {
      return code;
    }
    warn("not all of the output could be written: its reader is gone, or the disk is full");
    return ExitCode.WRITE.number();
  }

  private static String line(String format, Object... values) {
    Object[] safe =
        Arrays.stream(values)
            .map(v -> v instanceof Number ? v : PrintableText.line(String.valueOf(v)))
            .toArray();
    // No locale: loading even the plainest one takes a young JVM 10 ms.
    return String.format((Locale) null, format, safe);
  }

  private static PrintStream print(OutputStream stream) {
    return new PrintStream(stream, true, StandardCharsets.UTF_8);
  }
}
