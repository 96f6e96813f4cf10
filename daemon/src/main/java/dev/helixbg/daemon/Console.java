package dev.helixbg.daemon;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/**
 * Where output goes: data to {@code out}, progress and errors to {@code err}, both UTF-8 whatever
 * the locale.
 *
 * @param colour whether {@code out} may carry ANSI colours
 * @param animated whether {@code err} may carry a progress bar
 */
record Console(PrintStream out, PrintStream err, boolean colour, boolean animated) {

  /**
   * The console that scripts/helix-bg prepared, or a plain one when started without it.
   *
   * <p>The launcher says which of stdout (1) and stderr (2) are terminals, because Java can tell so
   * only of both at once. It passes a terminal as descriptor 3 too: the JVM's own descriptor 2 then
   * goes through a filter that drops the warning about incubating modules.
   */
  static Console of(Map<String, String> environment) {
    String terminals = environment.getOrDefault("HELIX_BG_LAUNCHER_TERMINALS", "");
    boolean plain =
        !environment.getOrDefault("NO_COLOR", "").isEmpty()
            || environment.getOrDefault("TERM", "dumb").equals("dumb");
    PrintStream err = print(new FileOutputStream(FileDescriptor.err));
    if (environment.containsKey("HELIX_BG_LAUNCHER_STDERR")) {
      try {
        err = print(new FileOutputStream("/dev/fd/3", true));
      } catch (IOException e) {
        // A socket, as under a service manager, cannot be opened again: the filter passes
        // everything on.
      }
    }
    return new Console(
        print(new FileOutputStream(FileDescriptor.out)),
        err,
        terminals.contains("1") && !plain,
        terminals.contains("2") && !plain);
  }

  /** Prints a line of data, its numbers written alike in every locale. */
  void say(String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
  }

  private static PrintStream print(OutputStream stream) {
    return new PrintStream(stream, true, StandardCharsets.UTF_8);
  }
}
