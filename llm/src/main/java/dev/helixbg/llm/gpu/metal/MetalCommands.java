package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.metal.MetalDevice.MetalBuffer;
import java.lang.foreign.MemorySegment;

/**
 * A command buffer with one concurrent encoder. The first call of {@link #kernel} opens the
 * encoder.
 */
final class MetalCommands implements GpuCommands {
  // Values of MTLCommandBufferStatus.
  private static final long COMPLETED = 4;
  private static final long ERROR = 5;

  private static final long CONCURRENT = 1; // MTLDispatchTypeConcurrent
  private static final long SCOPE_BUFFERS = 1; // MTLBarrierScopeBuffers

  private final ObjectiveC objc;
  private final long id;
  private final MemorySegment groups;
  private final MemorySegment threads;
  private final Runnable onFailure;
  private long encoder = ObjectiveC.NIL;

  /**
   * @param id the MTLCommandBuffer, which {@link #close} releases
   * @param sizes memory for the two MTLSize arguments of a dispatch; all command buffers share it
   * @param onFailure action to run if the GPU fails
   */
  MetalCommands(ObjectiveC objc, long id, MemorySegment sizes, Runnable onFailure) {
    long size = ObjectiveC.Shapes.SIZE.byteSize();
    this.groups = sizes.asSlice(0, size);
    this.threads = sizes.asSlice(size, size);
    this.onFailure = onFailure;
    this.objc = objc;
    this.id = id;
  }

  @Override
  public void kernel(GpuKernel kernel) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      if (encoder == ObjectiveC.NIL) {
        long made = objc.ask(id, "computeCommandEncoderWithDispatchType:", CONCURRENT);
        if (made == ObjectiveC.NIL) {
          throw new GpuException("Metal gave no command encoder");
        }
        encoder = objc.retain(made);
      }
      objc.ask(encoder, "setComputePipelineState:", kernel.handle());
    }
  }

  @Override
  public void buffer(int index, GpuBuffer buffer, long offset) {
    objc.ask(encoder, "setBuffer:offset:atIndex:", ((MetalBuffer) buffer).id(), offset, index);
  }

  /** Copies at most 4 KB, which is Metal's limit. */
  @Override
  public void constants(int index, MemorySegment constants, int length) {
    objc.ask(encoder, "setBytes:length:atIndex:", constants.address(), length, index);
  }

  @Override
  public void threadgroupBytes(int length) {
    objc.ask(encoder, "setThreadgroupMemoryLength:atIndex:", (length + 15L) & -16L, 0);
  }

  @Override
  public void dispatch(int x, int y, int z, int threadCount) {
    set(groups, x, y, z);
    set(threads, threadCount, 1, 1);
    try (ObjectiveC.Pool pool = objc.pool()) {
      objc.tellSizes(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", groups, threads);
    }
  }

  private static void set(MemorySegment size, long width, long height, long depth) {
    size.set(JAVA_LONG, 0, width);
    size.set(JAVA_LONG, 8, height);
    size.set(JAVA_LONG, 16, depth);
  }

  @Override
  public void barrier() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      objc.ask(encoder, "memoryBarrierWithScope:", SCOPE_BUFFERS);
    }
  }

  @Override
  public void commit() {
    endEncoder();
    try (ObjectiveC.Pool pool = objc.pool()) {
      objc.ask(id, "commit");
    }
  }

  private void endEncoder() {
    if (encoder != ObjectiveC.NIL) {
      try (ObjectiveC.Pool pool = objc.pool()) {
        objc.ask(encoder, "endEncoding");
      }
      objc.release(encoder);
      encoder = ObjectiveC.NIL;
    }
  }

  @Override
  public boolean ended() {
    return objc.ask(id, "status") >= COMPLETED;
  }

  @Override
  public void await() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      if (!ended()) {
        objc.ask(id, "waitUntilCompleted");
      }
      if (objc.ask(id, "status") == ERROR) {
        onFailure.run();
        throw GpuException.unfinished(objc.errorText(objc.ask(id, "error")));
      }
    }
  }

  @Override
  public void close() {
    endEncoder();
    objc.release(id);
  }
}
