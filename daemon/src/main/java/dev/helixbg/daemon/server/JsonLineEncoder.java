package dev.helixbg.daemon.server;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import java.nio.charset.StandardCharsets;

/** One log event as one JSON object on one line. */
final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("at", event.getInstant().toString())
            .put("level", event.getLevel().toString())
            .put("thread", event.getThreadName())
            .put("logger", event.getLoggerName())
            .put("message", event.getFormattedMessage());
    if (event.getThrowableProxy() != null) {
      json.put("stackTrace", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    try {
      return (PrintableText.json(JSON.writeValueAsString(json)) + "\n")
          .getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of texts can always be written", e);
    }
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
