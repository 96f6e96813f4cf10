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
 * Content of the head of a GGUF file, of any architecture and with any element types, whether it
 * can be run here or not.
 *
 * @param version 2 or 3
 * @param alignment of the tensors' data, in bytes
 * @param dataStart byte offset of the data
 * @param metadata valid as long as the file is mapped
 * @param tensors in the file's order
 */
public record GgufDescription(
    int version, int alignment, long dataStart, GgufMetadata metadata, List<TensorEntry> tensors) {

  private static final String SPLIT_COUNT = "split.count";

  /**
   * A tensor as it is described.
   *
   * @param typeId of its elements, by ggml's numbers; see {@link StoredType}
   * @param shape one to four sizes, the fastest running first
   * @param offset in bytes, from the start of the data
   * @param typeAt where the file has the type, and behind it the offset
   */
  public record TensorEntry(String name, int typeId, List<Long> shape, long offset, long typeAt) {

    private long elements() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** The element type's name, or its number where it has none that is known here. */
    public String typeName() {
      return StoredType.nameOf(typeId);
    }

    /** The bytes of the data; empty where the element type is not known here, or does not fit. */
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
        throw wrong(file, typeAt, e.getMessage());
      }
      if (shape.getFirst() % type.blockElements() != 0) {
        throw wrong(
            file,
            typeAt,
            "rows of %d elements are no whole number of %s blocks of %d"
                .formatted(shape.getFirst(), type, type.blockElements()));
      }
      long bytes =
          bytes()
              .orElseThrow(
                  () ->
                      wrong(
                          file,
                          typeAt,
                          "%d elements of %s take more than 2^63 bytes"
                              .formatted(elements(), type)));
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
   * Reads the head of a mapped file, which stays the caller's.
   *
   * @throws GgufException if it is not a GGUF file, or its head is damaged
   */
  public static GgufDescription of(MappedFile mapped) {
    return GgufParser.describe(mapped.path().toString(), mapped.bytes());
  }

  /** Whether the file is one of several that are a model together. */
  public boolean isSplit() {
    return metadata.values().get(SPLIT_COUNT) instanceof Long count && count > 1;
  }

  /**
   * Refuses a part of a model.
   *
   * @param file what the error calls it
   * @throws GgufException if it is one of several files
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
   * Cuts the tensors out of the file.
   *
   * @param file what errors call it
   * @param bytes all of it
   * @return by name, in the file's order
   * @throws GgufException if one has an element type that is not known here, or is not all there
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
