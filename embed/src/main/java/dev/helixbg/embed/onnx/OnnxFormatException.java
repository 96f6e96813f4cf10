package dev.helixbg.embed.onnx;

import java.io.IOException;

/** Reports an ONNX file that is damaged, or whose architecture cannot be rewritten. */
public final class OnnxFormatException extends IOException {
  OnnxFormatException(String message) {
    super(message);
  }
}
