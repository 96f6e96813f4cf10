package dev.helixbg.embed.onnx;

import java.io.IOException;

/** An ONNX file that is damaged, or not of the architecture that can be rewritten. */
public final class OnnxFormatException extends IOException {
  OnnxFormatException(String message) {
    super(message);
  }
}
