package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.StoredType;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Content of the head of a GGUF file, of any architecture and with any element types, supported or
 * not.
 *
 * @param dataStart offset of the data, in bytes
 * @param metadata metadata, valid while the file is mapped
 * @param tensors descriptions of the tensors, in the file's order
 */
public record GgufDescription(long dataStart, GgufMetadata metadata, List<TensorEntry> tensors) {

  private static final String SPLIT_COUNT = "split.count";

  /**
   * Description of a tensor.
   *
   * @param typeId number of the element type in ggml; see {@link StoredType}
   * @param shape one to four sizes; the first dimension is contiguous in memory
   * @param offset offset from the start of the data, in bytes
   * @param typeAt position of the type in the file; the offset follows the type
   */
  public record TensorEntry(String name, int typeId, List<Long> shape, long offset, long typeAt) {

    private long elements() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }

    private Tensor tensor(String file, MemorySegment data) {
      StoredType type;
      try {
        type = StoredType.ofId(typeId);
      } catch (IllegalArgumentException e) {
        throw wrong(file, typeAt, e.getMessage());
      }
      if (shape.getFirst() % type.blockElements() != 0) {
        throw wrong(
            file,
            typeAt,
            "rows of %d elements are no whole number of %s blocks of %d"
                .formatted(shape.getFirst(), type, type.blockElements()));
      }
      long bytes;
      try {
        bytes = type.bytes(elements());
      } catch (ArithmeticException e) {
        throw wrong(
            file,
            typeAt,
            "%d elements of %s take more than 2^63 bytes".formatted(elements(), type));
      }
      if (offset > data.byteSize() || bytes > data.byteSize() - offset) {
        throw wrong(
            file,
            typeAt,
            "%d bytes at offset %d do not fit the %d bytes of data: %s"
                .formatted(bytes, offset, data.byteSize(), GgufCursor.BROKEN_OFF));
      }
      return new Tensor(name, type, shape, data.asSlice(offset, bytes));
    }

    private GgufException wrong(String file, long place, String what) {
      return new GgufException(file, what, place, name);
    }
  }

  /**
   * Reads the head of a mapped file, which the caller must close.
   *
   * @throws GgufException if the file is not a GGUF file, or its head is damaged
   */
  public static GgufDescription of(MappedFile mapped) {
    return GgufParser.describe(mapped.path().toString(), mapped.bytes());
  }

  /** Whether the file is one of several files of a model. */
  public boolean isSplit() {
    return metadata.values().get(SPLIT_COUNT) instanceof Long count && count > 1;
  }

  /**
   * Refuses a part of a model.
   *
   * @param file the file's name in the error
   * @throws GgufException if the file is one of several files of a model
   */
  public void requireWholeModel(String file) {
    if (isSplit()) {
      throw new GgufException(
          file,
          "this is one of %s files of a split model; join them with llama-gguf-split --merge, and"
                  .formatted(metadata.values().get(SPLIT_COUNT))
              + " take the result",
          GgufException.NO_OFFSET,
          SPLIT_COUNT);
    }
  }

  /**
   * Returns the tensors as slices of the file.
   *
   * @param file the file's name in errors
   * @param bytes all bytes of the file
   * @return the tensors by name, in the file's order
   * @throws GgufException if a tensor has an unknown element type, or is incomplete
   */
  SequencedMap<String, Tensor> locate(String file, MemorySegment bytes) {
    MemorySegment data = bytes.asSlice(Math.min(dataStart, bytes.byteSize()));
    SequencedMap<String, Tensor> located = new LinkedHashMap<>();
    for (TensorEntry entry : tensors) {
      if (located.put(entry.name, entry.tensor(file, data)) != null) {
        throw entry.wrong(file, entry.typeAt, "the tensor occurs twice");
      }
    }
    return Collections.unmodifiableSequencedMap(located);
  }
}
