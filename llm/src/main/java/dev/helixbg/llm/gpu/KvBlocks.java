package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The memory of all caches of one shape: one buffer of blocks, each with {@link #POSITIONS}
 * positions of a sequence in all layers (see {@code cache.metal}). Sequences that have read the
 * same share blocks. The buffer doubles when it is full.
 */
final class KvBlocks implements AutoCloseable {
  static final int POSITIONS = 32;
  private static final int FEWEST_BLOCKS = 4;

  /** An eighth of the device's budget at first. */
  private static final int SHARE_OF_MEMORY = 8;

  private final GpuDevice device;
  private final Recorder recorder;
  private final Kernels kernels;
  private final KvShape shape;
  private final long blockBytes;
  private Arena arena = Arena.ofShared();
  private GpuBuffer buffer;

  /** Caches that use each block. */
  private int[] users = new int[0];

  /** Blocks that no cache uses, a stack. */
  private int[] free = new int[0];

  private int freeCount;

  KvBlocks(GpuDevice device, Recorder recorder, Kernels kernels, KvShape shape) {
    this.device = device;
    this.recorder = recorder;
    this.kernels = kernels;
    this.shape = shape;
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

  /** A block that nobody else uses. */
  int take() {
    if (freeCount == 0) {
      grow();
    }
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

  /** A whole sequence, if the device has memory to spare: growing later makes a prompt wait. */
  private int firstBlocks() {
    long affordable = device.memoryBudget() / SHARE_OF_MEMORY / blockBytes;
    long sequence = Math.ceilDiv(shape.limit(), POSITIONS);
    return (int) Math.max(FEWEST_BLOCKS, Math.min(sequence, affordable));
  }

  /** The host copies, so nothing may be on its way. */
  private void grow() {
    recorder.flush();
    int blocks = users.length == 0 ? firstBlocks() : 2 * users.length;
    Arena newArena = Arena.ofShared();
    GpuBuffer larger;
    try {
      larger =
          device.buffer(newArena, "keys and values", Math.multiplyExact(blockBytes, (long) blocks));
    } catch (RuntimeException e) {
      newArena.close();
      throw e;
    }
    if (buffer != null) {
      larger.copy(buffer);
    }
    arena.close();
    arena = newArena;
    buffer = larger;
    free = Arrays.copyOf(free, blocks);
    for (int block = blocks - 1; block >= users.length; block--) {
      free[freeCount++] = block;
    }
    users = Arrays.copyOf(users, blocks);
  }

  @Override
  public void close() {
    arena.close();
  }
}
