package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.nio.file.Path;
import java.util.SequencedMap;

/** An open model file, valid until {@link #close}. Its tensors are slices of the mapping. */
public record GgufFile(
    MappedFile mapped, GgufDescription head, SequencedMap<String, Tensor> tensors)
    implements AutoCloseable {

  /** Reads the head of a mapped file, which closes with the result, or if it cannot be used. */
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

  /** Finds the tensors. If one cannot be used, the mapped file stays open. */
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
