package dev.helixbg.llm.tensor;

/**
 * The element types that every backend has kernels for; {@link Dequantize} tells what their blocks
 * mean.
 */
public enum TensorType implements StoredType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q8_0(8, 32, 34),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  BF16(30, 1, 2);

  private final int id;
  private final int blockElements;
  private final int blockBytes;

  TensorType(int id, int blockElements, int blockBytes) {
    this.id = id;
    this.blockElements = blockElements;
    this.blockBytes = blockBytes;
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public int blockElements() {
    return blockElements;
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public TensorType computed() {
    return this;
  }
}
