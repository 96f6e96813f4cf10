package dev.helixbg.embed.onnx;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A field of a protobuf message. A damaged file causes an {@link OnnxFormatException}.
 *
 * <p>Wire format: <a href="https://protobuf.dev/programming-guides/encoding/">protobuf.dev</a>.
 *
 * @param value value of a varint; 0 for other kinds of fields
 * @param content content of a length-delimited field; null for other kinds of fields
 */
record ProtoField(int number, long value, ByteBuffer content) {
  private static final int MAX_FIELDS = 100_000;
  private static final int MAX_NAME_BYTES = 1 << 12;

  static List<ProtoField> of(ByteBuffer message) throws OnnxFormatException {
    List<ProtoField> fields = new ArrayList<>();
    ByteBuffer rest = message.duplicate();
    try {
      while (rest.hasRemaining()) {
        long key = varint(rest);
        int number = (int) (key >>> 3);
        ByteBuffer content = null;
        long value = 0;
        switch ((int) (key & 7)) {
          case 0 -> value = varint(rest);
          case 1 -> rest.getLong();
          case 2 -> {
            int length = Math.toIntExact(varint(rest));
            content = rest.slice(rest.position(), length);
            rest.position(rest.position() + length);
          }
          case 5 -> rest.getInt();
          default -> throw new OnnxFormatException("a field has an unknown wire type");
        }
        fields.add(new ProtoField(number, value, content));
        if (number <= 0 || fields.size() > MAX_FIELDS) {
          throw new OnnxFormatException("a message has impossible fields");
        }
      }
      return fields;
    } catch (BufferUnderflowException | IndexOutOfBoundsException | ArithmeticException e) {
      throw new OnnxFormatException("a field is longer than its message");
    }
  }

  /** Returns the numbers of a packed field, or the number of a plain field. */
  List<Long> numbers() throws OnnxFormatException {
    if (content == null) {
      return List.of(value);
    }
    List<Long> numbers = new ArrayList<>();
    try {
      for (ByteBuffer rest = content.duplicate(); rest.hasRemaining(); ) {
        numbers.add(varint(rest));
      }
      return numbers;
    } catch (BufferUnderflowException e) {
      throw new OnnxFormatException("a number is cut off");
    }
  }

  ByteBuffer message() throws OnnxFormatException {
    if (content == null) {
      throw new OnnxFormatException("it has a number where a message belongs");
    }
    return content;
  }

  String text() throws OnnxFormatException {
    if (message().remaining() > MAX_NAME_BYTES) {
      throw new OnnxFormatException("a name is longer than " + MAX_NAME_BYTES + " bytes");
    }
    return StandardCharsets.UTF_8.decode(content.duplicate()).toString();
  }

  private static long varint(ByteBuffer from) throws OnnxFormatException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte b = from.get();
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new OnnxFormatException("a number is longer than ten bytes");
  }
}
