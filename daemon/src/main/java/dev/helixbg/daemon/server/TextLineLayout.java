package dev.helixbg.daemon.server;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import dev.helixbg.config.text.PrintableText;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * One log event as one line for people, an exception below it and indented: no topic, path or
 * message of an exception can begin a line that looks like an event, or act on a terminal.
 */
final class TextLineLayout extends LayoutBase<ILoggingEvent> {
  private final DateTimeFormatter time;
  private final ThrowableProxyConverter exceptions = new ThrowableProxyConverter();

  /**
   * @param time pattern of the time
   * @param exceptions {@code full}, or {@code short}: a line each
   */
  TextLineLayout(String time, String exceptions) {
    this.time = DateTimeFormatter.ofPattern(time, Locale.ROOT).withZone(ZoneId.systemDefault());
    this.exceptions.setOptionList(List.of(exceptions));
    this.exceptions.start();
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    String line =
        "%s %-5s %s\n"
            .formatted(
                time.format(event.getInstant()),
                event.getLevel(),
                PrintableText.line(event.getFormattedMessage()));
    String exception = PrintableText.block(exceptions.convert(event)).stripTrailing();
    String below = exception.isEmpty() ? "" : exception.indent(4);
    return line + below;
  }
}
