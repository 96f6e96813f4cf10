package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import java.util.Arrays;

/**
 * The cache of a sequence, as a list of blocks. A fork shares all blocks of its prefix. Before a
 * sequence continues inside a block that other sequences also use, the sequence gets its own copy
 * of the block.
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

  /**
   * The memory of all caches of one shape: one buffer of blocks. A block has {@link #POSITIONS}
   * positions of a sequence in all layers (see {@code cache.metal}). Sequences with a common
   * beginning share blocks. The buffer starts small and doubles when it is full.
   */
  static final class KvBlocks {
    static final int POSITIONS = 32;

    /**
     * Initial number of blocks. They have 512 positions, as many as a pass over a prompt processes.
     */
    private static final int FIRST_BLOCKS = 16;

    private final CommandRecorder recorder;
    private final CompiledKernels kernels;
    private final KvShape shape;
    private final long blockBytes;
    private final GrowableBuffer memory;
    private GpuBuffer buffer;

    /** For each block, the number of caches that use the block. */
    private int[] users = new int[0];

    /** Stack of blocks that no cache uses. */
    private int[] free = new int[0];

    private int freeCount;

    KvBlocks(CommandRecorder recorder, CompiledKernels kernels, KvShape shape) {
      this.recorder = recorder;
      this.kernels = kernels;
      this.shape = shape;
      memory = recorder.scratch("keys and values");
      int paddedHead = Math.ceilDiv(shape.headSize(), 4) * 4;
      blockBytes = 2L * POSITIONS * shape.layers() * shape.kvHeads() * Short.BYTES * paddedHead;
    }

    KvShape shape() {
      return shape;
    }

    GpuBuffer buffer() {
      return buffer;
    }

    /**
     * Makes room for {@code blocks} more blocks. One call should reserve all needed blocks, because
     * each growth waits for the GPU.
     */
    void reserve(int blocks) {
      if (freeCount < blocks) {
        grow(blocks - freeCount);
      }
    }

    int take() {
      reserve(1);
      int block = free[--freeCount];
      users[block] = 1;
      return block;
    }

    void share(int block) {
      users[block]++;
    }

    boolean isShared(int block) {
      return users[block] > 1;
    }

    void release(int block) {
      if (--users[block] == 0) {
        free[freeCount++] = block;
      }
    }

    int copyOf(int block) {
      int copy = take();
      GpuBackend.copyBlock(recorder, kernels, buffer, block, copy, blockBytes);
      return copy;
    }

    /** Replaces the buffer by a larger buffer with the same content. Waits for all work first. */
    private void grow(int missing) {
      recorder.flush();
      int first = Math.min(FIRST_BLOCKS, Math.ceilDiv(shape.limit(), POSITIONS));
      int blocks = Math.max(first, Math.max(2 * users.length, users.length + missing));
      GpuBuffer smaller = buffer;
      buffer = memory.renewed(Math.multiplyExact(blockBytes, (long) blocks));
      if (smaller != null) {
        buffer.copy(smaller);
      }
      free = Arrays.copyOf(free, blocks);
      for (int block = blocks - 1; block >= users.length; block--) {
        free[freeCount++] = block;
      }
      users = Arrays.copyOf(users, blocks);
    }
  }
}
