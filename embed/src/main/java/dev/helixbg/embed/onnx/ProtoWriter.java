package dev.helixbg.embed.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Encodes the fields of one protobuf message. */
final class ProtoWriter {

  private static final int LENGTH_DELIMITED = 2;
  private static final int FIXED32 = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  ProtoWriter number(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  ProtoWriter real(int field, float value) {
    varint((long) field << 3 | FIXED32);
    int bits = Float.floatToRawIntBits(value);
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.write(bits >>> shift);
    }
    return this;
  }

  ProtoWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  ProtoWriter message(int field, ProtoWriter value) {
    return bytes(field, value.toBytes());
  }

  ProtoWriter bytes(int field, byte[] value) {
    varint((long) field << 3 | LENGTH_DELIMITED);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  byte[] toBytes() {
    return out.toByteArray();
  }

  private void varint(long value) {
    while ((value & ~0x7FL) != 0) {
      out.write((int) (value & 0x7F | 0x80));
      value >>>= 7;
    }
    out.write((int) value);
  }
}
