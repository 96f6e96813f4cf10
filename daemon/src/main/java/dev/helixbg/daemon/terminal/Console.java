package dev.helixbg.daemon.terminal;

import dev.helixbg.config.text.PrintableStream;
import dev.helixbg.config.text.PrintableText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/**
 * The output: {@code out} for data, {@code err} for progress and errors, in UTF-8 in every locale.
 * All streams except {@code coloured} (text with ANSI colours) and {@code bars} (progress bars)
 * remove or escape control characters, so commands can print any text.
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
   * Returns the console that the launcher scripts/helix-bg prepared, or else a plain console. The
   * launcher tests stdout and stderr for a terminal, because Java cannot test them separately.
   * Descriptor 3 is the true stderr; descriptor 2 leads to a filter, which drops a warning of the
   * JVM. For {@code mcp}, descriptor 4 is the true stdout, and descriptor 1 leads to stderr, so
   * that output of the JVM or of native code cannot break the protocol.
   */
  public static Console of(Map<String, String> environment) {
    String terminals = environment.getOrDefault("HELIX_BG_LAUNCHER_TERMINALS", "");
    boolean plain =
        !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "dumb").equals("dumb");
    return new Console(
        environment.containsKey("HELIX_BG_LAUNCHER_STDOUT")
            ? new FileOutputStream(passed(4, FileDescriptor.out))
            : new Stdout(),
        new FileOutputStream(
            environment.containsKey("HELIX_BG_LAUNCHER_STDERR")
                ? passed(3, FileDescriptor.err)
                : FileDescriptor.err),
        terminals.contains("1") && !plain,
        terminals.contains("2") && !plain);
  }

  /** The stream stdout. If its reader has ended, the output is dropped without an error. */
  private static final class Stdout extends FilterOutputStream {
    Stdout() {
      super(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        if (!"Broken pipe".equals(e.getMessage())) { // the reader has ended, such as head
          throw e;
        }
      }
    }
  }

  /**
   * Returns the open descriptor that the launcher passed. If {@code /dev/fd/3} were opened instead,
   * it would write at the beginning of a file, and fail for a socket.
   */
  private static FileDescriptor passed(int number, FileDescriptor otherwise) {
    try {
      Constructor<FileDescriptor> of = FileDescriptor.class.getDeclaredConstructor(int.class);
      of.setAccessible(true); // the jar's manifest opens the package
      return of.newInstance(number);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return otherwise; // all messages still pass through the filter on stderr
    }
  }

  public static String shellWord(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Prints a line of data; line breaks in values are replaced. */
  public void say(String format, Object... values) {
    out.println(line(format, values));
  }

  /** Prints a line to {@code err}, formatted as by {@link #say}. */
  public void note(String format, Object... values) {
    err.println(line(format, values));
  }

  public void warn(String format, Object... values) {
    note("helix-bg: " + format, values);
  }

  /** Returns {@code code}, or {@link ExitCode#WRITE} instead of OK if writing the output failed. */
  public int checked(int code) {
    boolean failed = out.checkError() | json.checkError() | coloured.checkError();
    if (!failed || code != ExitCode.OK.number()) {
      return code;
    }
    warn("not all of the output could be written: the disk may be full");
    return ExitCode.WRITE.number();
  }

  private static String line(String format, Object... values) {
    Object[] safe =
        Arrays.stream(values)
            .map(v -> v instanceof Number ? v : PrintableText.line(String.valueOf(v)))
            .toArray();
    // A null locale saves the 10 ms that loading a locale takes at the start.
    return String.format((Locale) null, format, safe);
  }

  private static PrintStream print(OutputStream stream) {
    return new PrintStream(stream, true, StandardCharsets.UTF_8);
  }
}
