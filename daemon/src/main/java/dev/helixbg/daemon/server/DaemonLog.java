package dev.helixbg.daemon.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.FileSize;
import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/**
 * Log of the daemon, in five files of about 4 MB each in {@code ~/.helix/logs}. At a terminal, the
 * log is also written to the console. Other commands log nothing.
 */
public final class DaemonLog {
  static final int FILES = 5;
  private static final long FILE_BYTES = 4L << 20;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private DaemonLog() {}

  public static void start(DaemonHome home, DaemonSettings settings, Console console) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    start(context, home, settings, console, FILE_BYTES);
  }

  static void start(
      LoggerContext context,
      DaemonHome home,
      DaemonSettings settings,
      Console console,
      long fileBytes) {
    try {
      PrivateFiles.makeFolders(home.folder());
      PrivateFiles.makeFolder(home.logs());
      make(home.logFile());
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write the log " + home.logFile(), e);
    }
    context.reset();
    var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    context
        .getLogger("dev.helixbg")
        .setLevel(Level.valueOf(settings.logLevel().name().toUpperCase(Locale.ROOT)));
    root.addAppender(file(context, home, fileBytes));
    if (console.animated()) {
      root.addAppender(terminal(context, console));
    }
    context.start();
  }

  /** Writes pending messages and ends logging. */
  public static void end() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }

  /** Makes each log file private to the user, because the log quotes topics. */
  private static final class PrivateAppender extends RollingFileAppender<ILoggingEvent> {
    @Override
    public void openFile(String name) throws IOException {
      make(Path.of(name));
      super.openFile(name);
    }
  }

  private static void make(Path file) throws IOException {
    PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
  }

  private static Appender<ILoggingEvent> file(
      LoggerContext context, DaemonHome home, long fileBytes) {
    RollingFileAppender<ILoggingEvent> file = new PrivateAppender();
    file.setContext(context);
    file.setName("file");
    file.setFile(home.logFile().toString());
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setContext(context);
    policy.setParent(file);
    policy.setMinIndex(1);
    policy.setMaxIndex(FILES - 1);
    policy.setFileNamePattern(home.logs().resolve("helix-bg.%i.log").toString());
    policy.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(fileBytes));
    size.setCheckIncrement(new ch.qos.logback.core.util.Duration(500));
    size.start();
    file.setRollingPolicy(policy);
    file.setTriggeringPolicy(size);
    file.setEncoder(new LineEncoder());
    file.start();
    return file;
  }

  private static Appender<ILoggingEvent> terminal(LoggerContext context, Console console) {
    OutputStreamAppender<ILoggingEvent> terminal = new OutputStreamAppender<>();
    terminal.setContext(context);
    terminal.setName("terminal");
    terminal.setEncoder(new LineEncoder());
    terminal.setOutputStream(console.err());
    terminal.start();
    return terminal;
  }

  /**
   * Writes an event as one line, with its exception indented below. Texts are made printable, so
   * that they can neither fake an event nor control a terminal.
   */
  private static final class LineEncoder extends EncoderBase<ILoggingEvent> {
    private final ThrowableProxyConverter exceptions = new ThrowableProxyConverter();

    LineEncoder() {
      exceptions.start();
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      String line =
          "%s %-5s %s\n"
              .formatted(
                  TIME.format(event.getInstant()),
                  event.getLevel(),
                  PrintableText.line(event.getFormattedMessage()));
      String exception = PrintableText.block(exceptions.convert(event)).stripTrailing();
      String below = exception.isEmpty() ? "" : exception.indent(4);
      return (line + below).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] headerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
      return new byte[0];
    }
  }

  /**
   * Stops logback from searching for configuration files and from printing all events. {@link
   * java.util.ServiceLoader} finds this class.
   */
  public static final class LogSetup extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
      return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
  }
}
