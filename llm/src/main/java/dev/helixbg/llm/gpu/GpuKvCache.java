package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvCache;
import java.util.Arrays;

/**
 * A sequence as a list of blocks. A fork takes part in all blocks of its prefix; whoever first goes
 * on inside a shared block gets a copy of that one.
 */
final class GpuKvCache extends KvCache {
  private final KvBlocks memory;
  private int[] blocks = new int[4];
  private int count;

  GpuKvCache(KvBlocks memory) {
    super(memory.shape());
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
  protected void makeRoom(int end) {
    if (length % KvBlocks.POSITIONS > 0 && memory.isShared(blocks[count - 1])) {
      int copy = memory.copyOf(blocks[count - 1]);
      memory.release(blocks[count - 1]);
      blocks[count - 1] = copy;
    }
    int wanted = Math.ceilDiv(end, KvBlocks.POSITIONS);
    if (wanted > blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(wanted, 2 * blocks.length));
    }
    memory.reserve(wanted - count);
    while (count < wanted) {
      blocks[count] = memory.take();
      count++;
    }
  }

  @Override
  protected void release(int end) {
    int kept = Math.ceilDiv(end, KvBlocks.POSITIONS);
    while (count > kept) {
      memory.release(blocks[--count]);
    }
  }

  @Override
  protected KvCache share(int prefix) {
    GpuKvCache fork = new GpuKvCache(memory);
    fork.count = Math.ceilDiv(prefix, KvBlocks.POSITIONS);
    fork.blocks = Arrays.copyOf(blocks, Math.max(4, fork.count));
    for (int i = 0; i < fork.count; i++) {
      memory.share(blocks[i]);
    }
    return fork;
  }
}
