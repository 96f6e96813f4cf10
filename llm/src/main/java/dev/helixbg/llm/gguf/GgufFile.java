package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.nio.file.Path;
import java.util.SequencedMap;

/**
 * An open model file: its metadata and tensors, all valid until {@link #close}. Tensors are slices
 * of the mapping; nothing is copied.
 *
 * @param mapped what the tensors lie in
 */
public record GgufFile(MappedFile mapped, GgufHead head) implements AutoCloseable {

  /**
   * Maps a file and reads its head.
   *
   * @throws GgufException if it cannot be read, or is not what it should be
   */
  public static GgufFile open(Path path) {
    return read(MappedFile.open(path));
  }

  /**
   * Reads the head of a mapped file, which from then on belongs to the result.
   *
   * @throws GgufException if it is not what it should be; the file is then closed
   */
  public static GgufFile read(MappedFile mapped) {
    try {
      return new GgufFile(mapped, GgufParser.parse(mapped.path().toString(), mapped.bytes()));
    } catch (Throwable e) {
      mapped.close();
      throw e;
    }
  }

  public Path path() {
    return mapped.path();
  }

  public GgufMetadata metadata() {
    return head.metadata();
  }

  /** By name, in the file's order. */
  public SequencedMap<String, Tensor> tensors() {
    return head.tensors();
  }

  @Override
  public void close() {
    mapped.close();
  }
}
