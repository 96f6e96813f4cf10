package dev.helixbg.llm.tensor;

/**
 * The element types that every backend has kernels for; {@link Dequantize} defines the layout of
 * their blocks.
 */
public enum TensorType implements StoredType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q8_0(8, 32, 34),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  BF16(30, 1, 2);

  private final Block block;

  TensorType(int id, int blockElements, int blockBytes) {
    block = new Block(id, blockElements, blockBytes);
  }

  @Override
  public Block block() {
    return block;
  }

  @Override
  public TensorType computed() {
    return this;
  }
}
