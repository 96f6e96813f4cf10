package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.StoredType;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * The head of a GGUF file: its metadata, and descriptions of its tensors. The model can have any
 * architecture and any element types.
 *
 * @param alignment alignment of the tensors' data, in bytes
 * @param dataStart offset of the tensors' data in the file, in bytes
 * @param metadata the file's keys and values, valid as long as the file is mapped
 */
public record GgufDescription(
    int version, int alignment, long dataStart, GgufMetadata metadata, List<TensorEntry> tensors) {

  private static final String SPLIT_COUNT = "split.count";

  /**
   * The description of one tensor.
   *
   * @param typeId ggml's number of the element type; see {@link StoredType}
   * @param shape one to four sizes; the contiguous dimension is first
   * @param offset offset from the start of the data, in bytes
   * @param typeAt position of the type's number in the file
   */
  public record TensorEntry(String name, int typeId, List<Long> shape, long offset, long typeAt) {

    private long elements() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }

    public String typeName() {
      return StoredType.nameOf(typeId);
    }

    /** Returns the tensor's size; empty if the type is unknown or does not fit the shape. */
    public OptionalLong bytes() {
      try {
        return OptionalLong.of(StoredType.ofId(typeId).bytes(elements()));
      } catch (IllegalArgumentException | ArithmeticException e) {
        return OptionalLong.empty();
      }
    }

    private Tensor tensor(String file, MemorySegment data) {
      StoredType type;
      try {
        type = StoredType.ofId(typeId);
      } catch (IllegalArgumentException e) {
        throw wrong(file, e.getMessage());
      }
      if (shape.getFirst() % type.blockElements() != 0) {
        throw wrong(
            file,
            "rows of %d elements are no whole number of %s blocks of %d"
                .formatted(shape.getFirst(), type, type.blockElements()));
      }
      String tooMany = "%d elements of %s take more than 2^63 bytes";
      long bytes = bytes().orElseThrow(() -> wrong(file, tooMany.formatted(elements(), type)));
      if (offset > data.byteSize() || bytes > data.byteSize() - offset) {
        throw wrong(
            file,
            "%d bytes at offset %d do not fit the %d bytes of data: %s"
                .formatted(bytes, offset, data.byteSize(), GgufCursor.BROKEN_OFF));
      }
      return new Tensor(name, type, shape, data.asSlice(offset, bytes));
    }

    private GgufException wrong(String file, String what) {
      return new GgufException(file, what, typeAt, name);
    }
  }

  /** Reads the head of a mapped file, which the caller must close. */
  public static GgufDescription of(MappedFile mapped) {
    return GgufParser.describe(mapped.path().toString(), mapped.bytes());
  }

  public boolean isSplit() {
    return metadata.values().get(SPLIT_COUNT) instanceof Long count && count > 1;
  }

  /** Throws if the model is split into several files. */
  public void requireWholeModel() {
    if (isSplit()) {
      throw metadata.error(
          SPLIT_COUNT,
          "this is one of %s files of a split model; join them with llama-gguf-split --merge, and"
                  .formatted(metadata.values().get(SPLIT_COUNT))
              + " open the joined file");
    }
  }

  /**
   * Returns tensors by name; throws if a tensor is incomplete, repeated or of an unsupported type.
   */
  SequencedMap<String, Tensor> locate(String file, MemorySegment bytes) {
    MemorySegment data = bytes.asSlice(Math.min(dataStart, bytes.byteSize()));
    SequencedMap<String, Tensor> located = new LinkedHashMap<>();
    for (TensorEntry entry : tensors) {
      if (located.put(entry.name, entry.tensor(file, data)) != null) {
        throw entry.wrong(file, "the tensor occurs twice");
      }
    }
    return Collections.unmodifiableSequencedMap(located);
  }
}
