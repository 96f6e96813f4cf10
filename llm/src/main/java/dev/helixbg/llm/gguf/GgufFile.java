package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.nio.file.Path;
import java.util.SequencedMap;

/**
 * An open model file: its metadata and tensors, all valid until {@link #close}. Tensors are slices
 * of the mapping; nothing is copied.
 *
 * @param mapped what the tensors lie in
 * @param tensors by name, in the file's order
 */
public record GgufFile(
    MappedFile mapped, GgufDescription head, SequencedMap<String, Tensor> tensors)
    implements AutoCloseable {

  /**
   * Reads the head of a mapped file, which from then on belongs to the result.
   *
   * @throws GgufException if it is not what it should be; the file is then closed
   */
  public static GgufFile read(MappedFile mapped) {
    try {
      GgufDescription head = GgufDescription.of(mapped);
      head.requireWholeModel(mapped.path().toString());
      return located(mapped, head);
    } catch (Throwable e) {
      mapped.close();
      throw e;
    }
  }

  /**
   * Finds the tensors that the head of a mapped file describes.
   *
   * @throws GgufException if one is not what it should be; the mapped file stays the caller's
   */
  public static GgufFile located(MappedFile mapped, GgufDescription head) {
    return new GgufFile(mapped, head, head.locate(mapped.path().toString(), mapped.bytes()));
  }

  public Path path() {
    return mapped.path();
  }

  public GgufMetadata metadata() {
    return head.metadata();
  }

  @Override
  public void close() {
    mapped.close();
  }
}
