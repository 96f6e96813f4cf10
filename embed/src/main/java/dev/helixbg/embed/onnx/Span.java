package dev.helixbg.embed.onnx;

/** A range of bytes in a file, {@code start} to {@code end}, which is not part of it. */
record Span(long start, long end) {

  long size() {
    return end - start;
  }
}
