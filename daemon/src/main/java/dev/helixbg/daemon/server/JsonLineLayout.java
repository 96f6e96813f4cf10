package dev.helixbg.daemon.server;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;

/** One log event as one JSON object on one line. */
final class JsonLineLayout extends LayoutBase<ILoggingEvent> {
  @Override
  public String doLayout(ILoggingEvent event) {
    ObjectNode json =
        Json.object()
            .put("at", event.getInstant().toString())
            .put("level", event.getLevel().toString())
            .put("thread", event.getThreadName())
            .put("logger", event.getLoggerName())
            .put("message", event.getFormattedMessage());
    if (event.getThrowableProxy() != null) {
      json.put("stackTrace", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return PrintableText.json(json.toString()) + "\n";
  }
}
