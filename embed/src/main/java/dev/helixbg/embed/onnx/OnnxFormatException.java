package dev.helixbg.embed.onnx;

import java.io.IOException;

/** An error of an ONNX file that is damaged, or has an architecture that cannot be rewritten. */
public final class OnnxFormatException extends IOException {
  OnnxFormatException(String message) {
    super(message);
  }
}
