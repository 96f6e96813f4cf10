package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import java.util.Arrays;

/**
 * The memory of all caches of one shape: one buffer of blocks, each with {@link #POSITIONS}
 * positions of a sequence in all layers (see {@code cache.metal}). Sequences that have read the
 * same share blocks. The buffer begins small, and doubles when it is full.
 */
final class KvBlocks {
  static final int POSITIONS = 32;

  /** 512 positions: a pass of a prompt. */
  private static final int FIRST_BLOCKS = 16;

  private final Recorder recorder;
  private final Kernels kernels;
  private final KvShape shape;
  private final long blockBytes;
  private final Scratch memory;
  private GpuBuffer buffer;

  /** Caches that use each block. */
  private int[] users = new int[0];

  /** Blocks that no cache uses, a stack. */
  private int[] free = new int[0];

  private int freeCount;

  KvBlocks(Recorder recorder, Kernels kernels, KvShape shape) {
    this.recorder = recorder;
    this.kernels = kernels;
    this.shape = shape;
    memory = recorder.scratch("keys and values");
    int paddedHead = Math.ceilDiv(shape.headSize(), 4) * 4;
    blockBytes =
        2L
            * POSITIONS
            * shape.layers()
            * shape.kvHeads()
            * shape.storage().type().bytes(paddedHead);
  }

  KvShape shape() {
    return shape;
  }

  GpuBuffer buffer() {
    return buffer;
  }

  /** Makes room for so many blocks at once: whoever takes them one by one may wait each time. */
  void reserve(int blocks) {
    if (freeCount < blocks) {
      grow(blocks - freeCount);
    }
  }

  /** A block that nobody else uses. */
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

  /** A block of one's own with what another one holds, once the GPU comes to it. */
  int copyOf(int block) {
    int copy = take();
    Uploads.Table copies = recorder.table(2);
    copies.set(0, block);
    copies.set(1, copy);
    recorder.upload(copies, 2);
    GpuBackend.copyBlocks(recorder, kernels, buffer, copies, blockBytes);
    return copy;
  }

  /** What the old buffer holds is copied, so nothing may be on its way. */
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
