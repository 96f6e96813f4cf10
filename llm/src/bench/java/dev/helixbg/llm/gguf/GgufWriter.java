package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.TensorType;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Writes a GGUF file, version 3, as {@link GgufParser} describes it: entries, tensors, data. */
public final class GgufWriter {
  private static final int ALIGNMENT = 32;
  private static final int VERSION = 3;
  private static final int BUFFER_BYTES = 1 << 20;

  private final ByteArrayOutputStream entries = new ByteArrayOutputStream();
  private final List<PlannedTensor> tensors = new ArrayList<>();
  private long entryCount;
  private long dataBytes;

  /** Provides the bytes of a tensor's rows, one row after the other. */
  @FunctionalInterface
  public interface RowSource {
    /** Fills {@code row} with the bytes of the next row. */
    void next(byte[] row);
  }

  private record PlannedTensor(
      String name,
      TensorType type,
      long columns,
      long rows,
      int dimensions,
      long offset,
      RowSource source) {}

  public GgufWriter text(String key, String value) {
    key(key, GgufType.STRING);
    string(entries, value);
    return this;
  }

  public GgufWriter uint32(String key, int value) {
    key(key, GgufType.UINT32);
    uint32(entries, value);
    return this;
  }

  public GgufWriter float32(String key, float value) {
    key(key, GgufType.FLOAT32);
    uint32(entries, Float.floatToIntBits(value));
    return this;
  }

  public GgufWriter strings(String key, List<String> values) {
    array(key, GgufType.STRING, values.size());
    values.forEach(value -> string(entries, value));
    return this;
  }

  public GgufWriter ints(String key, int[] values) {
    array(key, GgufType.INT32, values.length);
    for (int value : values) {
      uint32(entries, value);
    }
    return this;
  }

  public GgufWriter matrix(
      String name, TensorType type, long columns, long rows, RowSource source) {
    return tensor(name, type, columns, rows, 2, source);
  }

  public GgufWriter vector(String name, TensorType type, long size, RowSource source) {
    return tensor(name, type, size, 1, 1, source);
  }

  private GgufWriter tensor(
      String name, TensorType type, long columns, long rows, int dimensions, RowSource source) {
    tensors.add(new PlannedTensor(name, type, columns, rows, dimensions, dataBytes, source));
    dataBytes = aligned(dataBytes + type.bytes(columns) * rows);
    return this;
  }

  /**
   * Writes a temporary file in the same folder, and moves it to {@code file} when it is complete.
   *
   * @throws IOException if the file cannot be written; an existing file is then unchanged
   */
  public void write(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    Path temporary = Files.createTempFile(folder, ".", ".tmp");
    try {
      try (OutputStream out =
          new BufferedOutputStream(Files.newOutputStream(temporary), BUFFER_BYTES)) {
        writeTo(out);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private void writeTo(OutputStream out) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    uint32(head, VERSION);
    uint64(head, tensors.size());
    uint64(head, entryCount);
    head.writeBytes(entries.toByteArray());
    for (PlannedTensor tensor : tensors) {
      describe(head, tensor);
    }
    pad(head, head.size());
    head.writeTo(out);
    for (PlannedTensor tensor : tensors) {
      writeData(out, tensor);
    }
  }

  private static void describe(ByteArrayOutputStream head, PlannedTensor tensor) {
    string(head, tensor.name());
    uint32(head, tensor.dimensions());
    uint64(head, tensor.columns());
    if (tensor.dimensions() == 2) {
      uint64(head, tensor.rows());
    }
    uint32(head, tensor.type().id());
    uint64(head, tensor.offset());
  }

  private static void writeData(OutputStream out, PlannedTensor tensor) throws IOException {
    byte[] row = new byte[Math.toIntExact(tensor.type().bytes(tensor.columns()))];
    for (long r = 0; r < tensor.rows(); r++) {
      tensor.source().next(row);
      out.write(row);
    }
    pad(out, row.length * tensor.rows());
  }

  private void key(String key, GgufType type) {
    entryCount++;
    string(entries, key);
    uint32(entries, type.ordinal());
  }

  private void array(String key, GgufType elementType, int count) {
    key(key, GgufType.ARRAY);
    uint32(entries, elementType.ordinal());
    uint64(entries, count);
  }

  private static long aligned(long offset) {
    return Math.ceilDiv(offset, ALIGNMENT) * ALIGNMENT;
  }

  private static void pad(OutputStream out, long size) throws IOException {
    out.write(new byte[(int) (aligned(size) - size)]);
  }

  private static void string(ByteArrayOutputStream out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    uint64(out, utf8.length);
    out.writeBytes(utf8);
  }

  private static void uint32(ByteArrayOutputStream out, int value) {
    out.writeBytes(little(Integer.BYTES).putInt(value).array());
  }

  private static void uint64(ByteArrayOutputStream out, long value) {
    out.writeBytes(little(Long.BYTES).putLong(value).array());
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
