package dev.helixbg.llm.gguf;

import dev.helixbg.llm.gguf.GgufDescription.TensorEntry;
import dev.helixbg.llm.tensor.StoredType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the head of a GGUF file, versions 2 and 3, little-endian:
 *
 * <pre>
 * magic         "GGUF"
 * version       u32: 2 or 3
 * tensor_count  u64
 * kv_count      u64
 * kv_count times:
 *   key         string
 *   type        u32: see {@link GgufType}
 *   value       by type; a bool is one byte, 0 for false;
 *               an array is element type u32, count u64, elements; no arrays of arrays
 * tensor_count times:
 *   name        string, 1 to 64 bytes
 *   n_dims      u32: 1 to 4
 *   dims        n_dims × u64, the contiguous dimension first, each at least 1
 *   type        u32: see {@link StoredType}
 *   offset      u64: from the start of the data, a multiple of the alignment
 * padding       to a multiple of the alignment
 * data          the tensors
 *
 * string        length u64 in bytes, UTF-8 without terminator; malformed bytes become
 *               U+FFFD, since most strings are just displayed
 * alignment     the value of "general.alignment", u32; 32 if the key is missing
 * </pre>
 *
 * <p>Source: {@code docs/gguf.md} of the ggml project. The parser does not trust the file. Every
 * count is compared with the remaining bytes before memory is allocated or a loop begins. The head
 * may take at most {@link #MAX_HEAD_BYTES}, so time and memory are bounded for any file.
 */
final class GgufParser {
  static final long MAX_HEAD_BYTES = 256L << 20;
  static final int MAX_ENTRIES = 1 << 16;
  static final int MAX_TENSORS = 1 << 16;
  static final int MAX_KEY_BYTES = (1 << 16) - 1;
  static final int MAX_TENSOR_NAME_BYTES = 64;
  static final int MAX_ALIGNMENT = 1 << 20;
  static final int MAX_STRINGS = 1 << 22;
  private static final int MAX_STRING_BYTES = (int) MAX_HEAD_BYTES;

  private static final int MAGIC = 0x46554747;
  private static final int DEFAULT_ALIGNMENT = 32;
  private static final String ALIGNMENT_KEY = "general.alignment";
  private static final int MAX_DIMENSIONS = 4;
  private static final GgufType[] TYPES = GgufType.values();

  /** Minimum size of a metadata entry: an empty key, a type, and a one-byte value. */
  private static final int LEAST_ENTRY_BYTES = 8 + 4 + 1;

  /** Minimum size of a tensor's description: empty name, n_dims, one dimension, type, offset. */
  private static final int LEAST_TENSOR_BYTES = 8 + 4 + 8 + 4 + 8;

  private final GgufCursor in;
  private final GgufMetadata metadata;

  private GgufParser(String name, MemorySegment file) {
    in = new GgufCursor(name, file.asSlice(0, Math.min(file.byteSize(), MAX_HEAD_BYTES)));
    metadata = new GgufMetadata(name);
  }

  /** Reads the head of a file; accepts unknown element types and incomplete data. */
  static GgufDescription describe(String name, MemorySegment file) {
    return new GgufParser(name, file).read();
  }

  private GgufDescription read() {
    int version = magicAndVersion();
    int tensorCount = (int) in.count("tensor_count", LEAST_TENSOR_BYTES, MAX_TENSORS);
    int entryCount = (int) in.count("kv_count", LEAST_ENTRY_BYTES, MAX_ENTRIES);
    for (int i = 0; i < entryCount; i++) {
      entry();
    }
    int alignment = alignment();
    List<TensorEntry> tensors = new ArrayList<>();
    for (int i = 0; i < tensorCount; i++) {
      tensors.add(tensor(alignment));
    }
    long dataStart = Math.ceilDiv(in.position(), alignment) * (long) alignment;
    return new GgufDescription(version, alignment, dataStart, metadata, List.copyOf(tensors));
  }

  private int magicAndVersion() {
    if (in.left() < 4 || in.int32() != MAGIC) {
      throw in.error("this is no GGUF file: it does not begin with \"GGUF\"");
    }
    int version = in.int32();
    if (version != 2 && version != 3) {
      throw in.error(
          "GGUF version %s is not supported, only 2 and 3"
              .formatted(Integer.toUnsignedString(version)));
    }
    return version;
  }

  private void entry() {
    in.inside("");
    String key = in.name("a key", MAX_KEY_BYTES);
    in.inside(key);
    long offset = in.position();
    if (!metadata.add(key, value(type()), offset)) {
      throw in.error("the key occurs twice");
    }
  }

  private GgufType type() {
    int id = in.int32();
    if (id < 0 || id >= TYPES.length) {
      throw in.error("no value type has the id " + Integer.toUnsignedString(id));
    }
    return TYPES[id];
  }

  private Object value(GgufType type) {
    return switch (type) {
      case UINT8 -> (long) in.uint8();
      case INT8 -> (long) (byte) in.uint8();
      case UINT16 -> (long) Short.toUnsignedInt(in.int16());
      case INT16 -> (long) in.int16();
      case UINT32 -> Integer.toUnsignedLong(in.int32());
      case INT32 -> (long) in.int32();
      case UINT64, INT64 -> in.int64();
      case FLOAT32 -> Float.intBitsToFloat(in.int32());
      case FLOAT64 -> Double.longBitsToDouble(in.int64());
      case BOOL -> in.uint8() != 0;
      case STRING -> in.string("a string", MAX_STRING_BYTES);
      case ARRAY -> array();
    };
  }

  private GgufArray array() {
    GgufType elementType = type();
    if (elementType == GgufType.ARRAY) {
      throw in.error("arrays of arrays are not supported");
    }
    boolean ofStrings = elementType == GgufType.STRING;
    int most = ofStrings ? MAX_STRINGS : MAX_STRING_BYTES;
    int count = (int) in.count("the length of an array", elementType.leastBytes(), most);
    GgufCursor elements = in.copy();
    int[] starts = null;
    if (ofStrings) {
      starts = in.skipStrings(count);
    } else {
      in.skip(elementType, count);
    }
    return new GgufArray(elementType, count, elements, starts);
  }

  private int alignment() {
    if (!metadata.has(ALIGNMENT_KEY)) {
      return DEFAULT_ALIGNMENT;
    }
    int alignment = metadata.whole(ALIGNMENT_KEY, 1, MAX_ALIGNMENT);
    if (Integer.bitCount(alignment) != 1) {
      throw metadata.error(ALIGNMENT_KEY, "the alignment " + alignment + " is no power of two");
    }
    return alignment;
  }

  private TensorEntry tensor(int alignment) {
    in.inside("");
    String name = in.name("a tensor name", MAX_TENSOR_NAME_BYTES);
    in.inside(name);
    List<Long> shape = shape();
    int typeId = in.int32();
    long typeAt = in.fieldStart();
    long offset = in.int64();
    if (offset < 0 || offset % alignment != 0) {
      throw in.error(
          "the offset %s is no multiple of the alignment %d"
              .formatted(Long.toUnsignedString(offset), alignment));
    }
    return new TensorEntry(name, typeId, shape, offset, typeAt);
  }

  private List<Long> shape() {
    int dimensions = in.int32();
    if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
      throw in.error(
          "the tensor has %s dimensions; a tensor can have 1 to %d"
              .formatted(Integer.toUnsignedString(dimensions), MAX_DIMENSIONS));
    }
    List<Long> shape = new ArrayList<>(dimensions);
    for (int i = 0; i < dimensions; i++) {
      long size = in.int64();
      if (size < 1) {
        throw in.error(
            "dimension %d is %s; it must be from 1 to 2^63 − 1"
                .formatted(i, Long.toUnsignedString(size)));
      }
      shape.add(size);
    }
    try {
      shape.stream().reduce(1L, Math::multiplyExact);
    } catch (ArithmeticException e) {
      throw in.error("the dimensions %s multiply to more than 2^63".formatted(shape));
    }
    return shape;
  }
}
