package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Walks protobuf messages in a file without loading it. Every length is checked against the message
 * around it, so that a damaged file ends in an {@link OnnxFormatException} with its offset.
 *
 * <p>Wire format: <a href="https://protobuf.dev/programming-guides/encoding/">protobuf.dev</a>.
 */
final class ProtoReader implements AutoCloseable {

  /** Receives the fields of one message, in file order. */
  interface Visitor {
    /**
     * @param field its number
     * @param value of a varint; 0 for other kinds
     * @param span of a length-delimited field; null for other kinds
     */
    void visit(int field, long value, ByteSpan span) throws IOException;
  }

  private static final int WINDOW_BYTES = 1 << 14;
  private static final int MAX_STRING_BYTES = 1 << 12;

  private final RandomAccessFile file;
  private final long size;
  private final byte[] window = new byte[WINDOW_BYTES];
  private long windowStart;
  private int windowBytes;
  private long at;

  ProtoReader(Path path) throws IOException {
    file = new RandomAccessFile(path.toFile(), "r");
    size = file.length();
  }

  ByteSpan whole() {
    return new ByteSpan(0, size);
  }

  void forEachField(ByteSpan message, Visitor visitor) throws IOException {
    for (long next = message.start(); next < message.end(); ) {
      at = next;
      long key = varint(message.end());
      int field = (int) (key >>> 3);
      long value = 0;
      ByteSpan span = null;
      switch ((int) (key & 7)) {
        case 0 -> value = varint(message.end());
        case 1 -> at += Long.BYTES;
        case 2 -> {
          long length = varint(message.end());
          expect(length >= 0 && length <= message.end() - at, "a field longer than its message");
          span = new ByteSpan(at, at + length);
          at = span.end();
        }
        case 5 -> at += Integer.BYTES;
        default -> throw fault("an unknown wire type");
      }
      expect(at <= message.end() && field > 0, "a field that is cut off");
      next = at;
      visitor.visit(field, value, span);
    }
  }

  /** Calls the visitor with each varint of a packed field. */
  void forEachPacked(ByteSpan packed, Visitor visitor) throws IOException {
    for (long next = packed.start(); next < packed.end(); ) {
      at = next;
      long value = varint(packed.end());
      next = at;
      visitor.visit(0, value, null);
    }
  }

  String string(ByteSpan span) throws IOException {
    expect(span != null && span.size() <= MAX_STRING_BYTES, "a name that is not a short string");
    return new String(bytes(span), StandardCharsets.UTF_8);
  }

  byte[] bytes(ByteSpan span) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(span.size())];
    file.seek(span.start());
    file.readFully(bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private long varint(long end) throws IOException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      expect(at < end, "a number that is cut off");
      byte b = byteAt(at++);
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw fault("a number longer than ten bytes");
  }

  private byte byteAt(long position) throws IOException {
    if (position < windowStart || position >= windowStart + windowBytes) {
      file.seek(position);
      windowStart = position;
      windowBytes = Math.max(0, file.read(window));
      expect(windowBytes > 0, "the end of the file");
    }
    return window[(int) (position - windowStart)];
  }

  private void expect(boolean condition, String otherwise) throws OnnxFormatException {
    if (!condition) {
      throw fault(otherwise);
    }
  }

  private OnnxFormatException fault(String found) {
    return new OnnxFormatException("at byte " + at + " there is " + found);
  }
}
