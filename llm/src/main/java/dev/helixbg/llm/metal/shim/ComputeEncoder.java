package dev.helixbg.llm.metal.shim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Writes dispatches into a command buffer. */
public final class ComputeEncoder implements AutoCloseable {
  /** Bytes that {@link #bytes} takes at most: Metal's limit is 4 KB. */
  public static final int MAX_INLINE_BYTES = 4096;

  private static final long SCOPE_BUFFERS = 1; // MTLBarrierScopeBuffers

  /** Two MTLSize for each thread that encodes: written before each dispatch, read by it. */
  private static final ThreadLocal<MemorySegment> SIZES =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(MessageSend.SIZE, 2));

  private final ObjectiveC objc;
  private final CommandSelectors selectors;
  private final long id;
  private final MemorySegment groups;
  private final MemorySegment threads;

  ComputeEncoder(ObjectiveC objc, CommandSelectors selectors, long id) {
    this.objc = objc;
    this.selectors = selectors;
    this.id = id;
    long size = MessageSend.SIZE.byteSize();
    groups = SIZES.get().asSlice(0, size);
    threads = SIZES.get().asSlice(size, size);
  }

  /** The kernel of the dispatches that follow. */
  public void pipeline(MetalPipeline pipeline) {
    objc.send.tell(id, selectors.setPipeline(), pipeline.id());
  }

  /** Binds a buffer, from byte {@code offset} on, to argument {@code index}. */
  public void buffer(int index, MetalBuffer buffer, long offset) {
    objc.send.tell(id, selectors.setBuffer(), buffer.id(), offset, index);
  }

  /** Copies a few constants into the command buffer, as argument {@code index}. */
  public void bytes(int index, MemorySegment constants, int length) {
    objc.send.tell(id, selectors.setBytes(), constants.address(), length, index);
  }

  /** Bytes of threadgroup memory for argument {@code index}; rounded up to a multiple of 16. */
  public void threadgroupBytes(int index, int length) {
    objc.send.tell(id, selectors.setThreadgroupBytes(), (length + 15L) & -16L, index);
  }

  /** Starts {@code x · y · z} threadgroups of {@code threadCount} threads in a row. */
  public void dispatch(long x, long y, long z, int threadCount) {
    set(groups, x, y, z);
    set(threads, threadCount, 1, 1);
    objc.send.tellSizes(id, selectors.dispatch(), groups, threads);
  }

  private static void set(MemorySegment size, long width, long height, long depth) {
    size.set(JAVA_LONG, 0, width);
    size.set(JAVA_LONG, 8, height);
    size.set(JAVA_LONG, 16, depth);
  }

  /** What follows sees all that was written to buffers before. */
  public void barrier() {
    objc.send.tell(id, selectors.barrier(), SCOPE_BUFFERS);
  }

  /** No more dispatches. */
  public void end() {
    objc.send.tell(id, selectors.endEncoding());
  }

  @Override
  public void close() {
    objc.release(id);
  }
}
