package dev.helixbg.llm.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

final class GgufBytes {
  static final int UINT8 = 0;
  static final int UINT32 = 4;
  static final int INT32 = 5;
  static final int FLOAT32 = 6;
  static final int BOOL = 7;
  static final int STRING = 8;
  static final int ARRAY = 9;
  static final int UINT64 = 10;

  static final int F32 = 0;
  static final int Q4_0 = 2;
  static final int Q4_K = 12;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  static GgufBytes head(long tensors, long entries) {
    return new GgufBytes().raw("GGUF").u32(3).u64(tensors).u64(entries);
  }

  GgufBytes raw(String ascii) {
    return raw(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  GgufBytes raw(byte[] bytes) {
    out.writeBytes(bytes);
    return this;
  }

  GgufBytes u8(int value) {
    out.write(value);
    return this;
  }

  GgufBytes u32(int value) {
    return raw(buffer(4).putInt(value).array());
  }

  GgufBytes f32(float value) {
    return u32(Float.floatToIntBits(value));
  }

  GgufBytes u64(long value) {
    return raw(buffer(8).putLong(value).array());
  }

  GgufBytes string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return u64(utf8.length).raw(utf8);
  }

  GgufBytes key(String key, int type) {
    return string(key).u32(type);
  }

  GgufBytes entry(String key, String text) {
    return key(key, STRING).string(text);
  }

  GgufBytes alignment(int value) {
    return key("general.alignment", UINT32).u32(value);
  }

  GgufBytes tensor(String name, int type, long offset, long... shape) {
    string(name).u32(shape.length);
    for (long size : shape) {
      u64(size);
    }
    return u32(type).u64(offset);
  }

  GgufBytes data(int bytes) {
    return raw(new byte[(32 - out.size() % 32) % 32 + bytes]);
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  int size() {
    return out.size();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
