package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;

/** A range of bytes in a file, {@code start} to {@code end}, which is not part of it. */
record ByteSpan(long start, long end) {
  private static final int COPY_BYTES = 1 << 17;

  long size() {
    return end - start;
  }

  /** Copies it from the file that it is in. */
  void copy(RandomAccessFile in, OutputStream out) throws IOException {
    in.seek(start);
    byte[] buffer = new byte[COPY_BYTES];
    for (long left = size(); left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (read < 0) {
        throw new OnnxFormatException("it became shorter while it was read");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }
}
