package dev.helixbg.daemon.terminal;

import dev.helixbg.config.ConfigException;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.judge.JudgeException;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.llm.backend.KvCache.ContextFullException;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

public record ErrorReporter(Console console)
    implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private static final Pattern CONSTANTS = Pattern.compile("expected one of \\[[A-Z, _]+\\]");

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    console.warn("%s", words(e));
    console.warn("try: %s --help", e.getCommandLine().getCommandSpec().qualifiedName());
    return ExitCode.USAGE.number();
  }

  private static String words(ParameterException e) {
    List<String> unmatched =
        e instanceof UnmatchedArgumentException unknown
            ? unknown.getUnmatched()
            // an argument can be missing because an option is misspelled
            : e.getCommandLine().getUnmatchedArguments();
    if (unmatched.isEmpty()) { // picocli prints constants in upper case: [INSTALL, STOP]
      return CONSTANTS
          .matcher(e.getMessage())
          .replaceAll(all -> all.group().toLowerCase(Locale.ROOT));
    }
    String typed = unmatched.getFirst().split("=", 2)[0];
    CommandSpec command = e.getCommandLine().getCommandSpec();
    boolean isOption = typed.startsWith("-");
    Set<String> known = isOption ? command.optionsMap().keySet() : command.subcommands().keySet();
    return known.isEmpty()
        ? "one argument too many: " + unmatched.getFirst()
        : "there is no %s %s%s"
            .formatted(isOption ? "option" : "command", typed, NearestName.meant(typed, known, ""));
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    return report(e).number();
  }

  public ExitCode report(Throwable e) {
    ExitCode code = codeOf(e);
    console.warn(
        "%s",
        code == ExitCode.INTERRUPTED
            ? "interrupted; finished work is kept, and the next run does the rest"
            : words(e));
    return code;
  }

  /** Returns the message for the user. The stack trace of an internal fault is saved in a file. */
  public static String words(Throwable e) {
    if (e instanceof InvalidPathException path) { // such as a name with umlauts in the locale C
      return ("%s cannot be a file name, because the present locale encodes file names as %s. Start"
              + " helix-bg by its launcher, on a machine with the locale C.UTF-8 (Debian: libc-bin;"
              + " Fedora: glibc-minimal-langpack)")
          .formatted(QuotedName.of(path.getInput()), System.getProperty("sun.jnu.encoding"));
    }
    return isExpected(e) ? e.getMessage() : unexpected(e);
  }

  public static String summary(Throwable e) {
    return e instanceof OutOfMemoryError
        ? "not enough memory (%s). Free some memory, or give Java more memory: HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Xmx2g"
            .formatted(e.getMessage())
        : "a fault in helix-bg: " + e;
  }

  /** Returns whether the error has a cause outside helix-bg, so that no stack trace is needed. */
  public static boolean isExpected(Throwable e) {
    return codeOf(e) != ExitCode.INTERNAL;
  }

  /** Returns the exit code of an error; {@link ExitCode#INTERNAL} is a fault of the program. */
  public static ExitCode codeOf(Throwable e) {
    if (wasInterrupted(e)) {
      return ExitCode.INTERRUPTED;
    }
    return switch (e) {
      case Failure failure -> failure.code();
      case ConfigException config -> ExitCode.USAGE;
      case DataLogException log -> ExitCode.KB;
      case StoreException store -> ExitCode.WRITE;
      case EmbeddingException _, GgufException _, GpuException _, JudgeException _ ->
          ExitCode.MODEL;
      case ContextFullException _, InvalidPathException _ -> ExitCode.USAGE;
      case CancellationException calledOff -> ExitCode.INTERRUPTED;
      default -> ExitCode.INTERNAL;
    };
  }

  /** Whether an interrupt caused the error; such an error may look like damage to a file. */
  public static boolean wasInterrupted(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedException
          || cause instanceof ClosedByInterruptException
          || cause instanceof FileLockInterruptionException) {
        return true;
      }
    }
    return false;
  }

  private static String unexpected(Throwable e) {
    String summary = summary(e);
    if (e instanceof OutOfMemoryError) {
      return summary; // the trace would not help
    }
    try {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      Path file = Files.createTempFile("helix-bg-fault-", ".txt");
      Files.writeString(file, "helix-bg " + Version.text() + "\n" + trace);
      return summary + ". Details: " + file;
    } catch (IOException unwritable) {
      return summary;
    }
  }
}
