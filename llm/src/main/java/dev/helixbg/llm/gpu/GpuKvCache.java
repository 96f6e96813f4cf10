package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The KV cache of a sequence, as a list of blocks of 32 positions each. A fork shares all blocks of
 * its prefix. Before a sequence continues inside a block that other sequences also use, the
 * sequence gets its own copy of the block.
 */
final class GpuKvCache extends KvCache {
  private final KvBlocks memory;
  private final List<Integer> blocks = new ArrayList<>();

  GpuKvCache(KvBlocks memory) {
    super(memory.shape());
    this.memory = memory;
  }

  KvBlocks memory() {
    return memory;
  }

  List<Integer> blocks() {
    return blocks;
  }

  @Override
  protected void makeRoom(int end) {
    if (length % KvBlocks.POSITIONS > 0 && memory.isShared(blocks.getLast())) {
      int copy = memory.copyOf(blocks.getLast());
      memory.release(blocks.set(blocks.size() - 1, copy));
    }
    int wanted = Math.ceilDiv(end, KvBlocks.POSITIONS);
    memory.reserve(wanted - blocks.size());
    while (blocks.size() < wanted) {
      blocks.add(memory.take());
    }
  }

  @Override
  protected void release(int end) {
    int kept = Math.ceilDiv(end, KvBlocks.POSITIONS);
    while (blocks.size() > kept) {
      memory.release(blocks.removeLast());
    }
  }

  @Override
  protected KvCache share(int prefix) {
    GpuKvCache fork = new GpuKvCache(memory);
    fork.blocks.addAll(blocks.subList(0, Math.ceilDiv(prefix, KvBlocks.POSITIONS)));
    fork.blocks.forEach(memory::share);
    return fork;
  }

  /**
   * The memory of all caches of one shape: one buffer of blocks. A block has the keys and values of
   * {@link #POSITIONS} positions of a sequence, in all layers (see {@code cache.metal}). Sequences
   * with a common beginning share blocks. The buffer starts small and doubles when it is full.
   */
  static final class KvBlocks {
    static final int POSITIONS = 32;

    /** Initial number of blocks, enough for the positions of one pass over a prompt. */
    private static final int FIRST_BLOCKS = 16;

    private final CommandRecorder recorder;
    private final CompiledKernels kernels;
    private final KvShape shape;
    private final long blockBytes;
    private final GrowableBuffer memory;
    private GpuBuffer buffer;

    /** Number of caches that use a block, by the number of the block. */
    private int[] users = new int[0];

    private final Deque<Integer> free = new ArrayDeque<>();

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
     * Makes sure that {@code blocks} blocks are free. One call should reserve all blocks that a
     * pass needs, because each growth of the buffer waits for the GPU.
     */
    void reserve(int blocks) {
      if (free.size() < blocks) {
        grow(blocks - free.size());
      }
    }

    int take() {
      reserve(1);
      int block = free.pop();
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
        free.push(block);
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
      for (int block = blocks - 1; block >= users.length; block--) {
        free.push(block);
      }
      users = Arrays.copyOf(users, blocks);
    }
  }
}
