package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.ContextFullException;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import java.util.Arrays;

/**
 * A sequence as a list of blocks. A fork takes part in all blocks of its prefix; whoever first goes
 * on inside a shared block gets a copy of that one.
 */
final class GpuKvCache implements KvCache {
  private final KvBlocks memory;
  private int[] blocks = new int[4];
  private int count;
  private int length;

  GpuKvCache(KvBlocks memory) {
    this.memory = memory;
  }

  KvBlocks memory() {
    return memory;
  }

  /** Blocks that hold the positions. */
  int blockCount() {
    return count;
  }

  int block(int i) {
    return blocks[i];
  }

  @Override
  public KvShape shape() {
    return memory.shape();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void extend(int more) {
    if (more > shape().limit() - length) {
      throw new ContextFullException(length, more, shape().limit());
    }
    if (length % KvBlocks.POSITIONS > 0 && memory.isShared(blocks[count - 1])) {
      int copy = memory.copyOf(blocks[count - 1]);
      memory.release(blocks[count - 1]);
      blocks[count - 1] = copy;
    }
    int wanted = Math.ceilDiv(length + more, KvBlocks.POSITIONS);
    if (wanted > blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(wanted, 2 * blocks.length));
    }
    memory.reserve(wanted - count);
    while (count < wanted) {
      blocks[count] = memory.take();
      count++;
    }
    length += more;
  }

  @Override
  public void truncate(int newLength) {
    if (newLength < 0 || newLength > length) {
      throw new IllegalArgumentException("truncate " + length + " positions to " + newLength);
    }
    int kept = Math.ceilDiv(newLength, KvBlocks.POSITIONS);
    while (count > kept) {
      memory.release(blocks[--count]);
    }
    length = newLength;
  }

  @Override
  public KvCache fork(int prefix) {
    if (prefix < 0 || prefix > length) {
      throw new IllegalArgumentException("fork at " + prefix + " of " + length + " positions");
    }
    GpuKvCache fork = new GpuKvCache(memory);
    fork.count = Math.ceilDiv(prefix, KvBlocks.POSITIONS);
    fork.blocks = Arrays.copyOf(blocks, Math.max(4, fork.count));
    fork.length = prefix;
    for (int i = 0; i < fork.count; i++) {
      memory.share(blocks[i]);
    }
    return fork;
  }

  @Override
  public void close() {
    truncate(0);
  }
}
