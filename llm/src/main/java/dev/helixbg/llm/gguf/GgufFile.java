package dev.helixbg.llm.gguf;

import dev.helixbg.llm.tensor.Tensor;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SequencedMap;

/**
 * An open model file: its metadata and tensors, all valid until {@link #close}. Tensors are slices
 * of the mapping; nothing is copied.
 */
public final class GgufFile implements AutoCloseable {
  private final MappedFile mapped;
  private final GgufHead head;

  private GgufFile(MappedFile mapped, GgufHead head) {
    this.mapped = mapped;
    this.head = head;
  }

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

  /** The mapping that the tensors lie in. */
  public MappedFile mapped() {
    return mapped;
  }

  public Path path() {
    return mapped.path();
  }

  /** 2 or 3. */
  public int version() {
    return head.version();
  }

  /** Of the tensors' data, in bytes. */
  public int alignment() {
    return head.alignment();
  }

  /** Byte offset of the tensors' data. */
  public long dataStart() {
    return head.dataStart();
  }

  public GgufMetadata metadata() {
    return head.metadata();
  }

  /** By name, in the file's order. */
  public SequencedMap<String, Tensor> tensors() {
    return Collections.unmodifiableSequencedMap(head.tensors());
  }

  @Override
  public void close() {
    mapped.close();
  }
}
