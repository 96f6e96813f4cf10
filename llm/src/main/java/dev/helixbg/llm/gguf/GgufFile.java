package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.nio.file.Path;
import java.util.SequencedMap;

/** An open model file, valid until {@link #close}. Its tensors are slices of the mapping. */
public record GgufFile(
    MappedFile mapped, GgufDescription head, SequencedMap<String, Tensor> tensors)
    implements AutoCloseable {

  /**
   * Reads the head of a mapped file. Closing the result closes the mapped file; if the file is
   * unusable, this method closes it.
   */
  public static GgufFile read(MappedFile mapped) {
    try {
      GgufDescription head = GgufDescription.of(mapped);
      head.requireWholeModel();
      return located(mapped, head);
    } catch (Throwable e) {
      mapped.close();
      throw e;
    }
  }

  /** Finds the tensors. If a tensor cannot be used, throws, but does not close the mapped file. */
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
