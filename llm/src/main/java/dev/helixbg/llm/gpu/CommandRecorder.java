package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.gpu.WeightBuffers.GpuMatrix;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes dispatches (starts of kernels), with the barriers between them. A barrier is set exactly
 * where a dispatch accesses a buffer that an earlier dispatch wrote, or writes a buffer that an
 * earlier dispatch reads.
 */
final class CommandRecorder {
  private static final int MAX_CONSTANTS = 256;

  private final GpuDevice device;
  private final BackendCounters counters;
  private final CommandBufferRing inFlight;
  private final UploadTables uploads;
  private final MemorySegment constants;

  private GpuCommands commands;

  private long submission;

  // Buffers that were read or written since the last barrier.
  private final List<GpuBuffer> readBefore = new ArrayList<>();
  private final List<GpuBuffer> writtenBefore = new ArrayList<>();

  // State of the dispatch that is being encoded.
  private final List<GpuBuffer> read = new ArrayList<>();
  private final List<GpuBuffer> written = new ArrayList<>();
  private GpuKernel kernel;
  private boolean conflict;
  private int constantsLength;
  private boolean rehearsing;

  private final List<GrowableBuffer> scratches = new ArrayList<>();

  CommandRecorder(GpuDevice device, Arena arena, BackendCounters counters) {
    this.device = device;
    this.counters = counters;
    inFlight = new CommandBufferRing(device, counters);
    uploads = new UploadTables(device, arena);
    constants = arena.allocate(MAX_CONSTANTS, 16);
  }

  CommandBufferRing inFlight() {
    return inFlight;
  }

  /** Begins or ends a rehearsal, during which the GPU runs nothing and weights may be missing. */
  void rehearse(boolean begins) {
    flush();
    rehearsing = begins;
    inFlight.rehearse(begins);
  }

  /**
   * Returns a buffer for data that passes from one dispatch to a later dispatch. {@link #close}
   * releases the buffer.
   */
  GrowableBuffer scratch(String label) {
    GrowableBuffer scratch = new GrowableBuffer(device, this, label);
    scratches.add(scratch);
    return scratch;
  }

  UploadTables.Table table(int ints) {
    open();
    return uploads.table(ints);
  }

  /** Makes a table's first {@code ints} numbers visible to kernels that are encoded from now on. */
  void upload(UploadTables.Table table, int ints) {
    commands.upload(table.buffer(), table.offset(), 4L * ints);
  }

  /** Returns the number of the current submission. Tables of other submissions are invalid. */
  long submission() {
    open();
    return submission;
  }

  private void open() {
    if (commands == null) {
      commands = inFlight.begin();
      uploads.begin(inFlight.slot());
      submission++;
    }
  }

  // ---- one dispatch ---------------------------------------------------------------------------

  CommandRecorder kernel(GpuKernel next) {
    open();
    kernel = next;
    commands.kernel(next);
    constantsLength = 0;
    return this;
  }

  /** Binds a buffer that needs no barrier: no kernel writes it, or this kernel does not use it. */
  CommandRecorder fixed(int index, GpuBuffer buffer) {
    commands.buffer(index, buffer, 0);
    return this;
  }

  CommandRecorder fixed(int index, UploadTables.Table table) {
    commands.buffer(index, table.buffer(), table.offset());
    return this;
  }

  CommandRecorder weights(int index, GpuMatrix matrix) {
    if (!rehearsing) {
      commands.buffer(index, matrix.buffer(), matrix.offset());
    }
    return this;
  }

  CommandRecorder reads(int index, GpuBuffer buffer) {
    commands.buffer(index, buffer, 0);
    conflict |= writtenBefore.contains(buffer);
    read.add(buffer);
    return this;
  }

  /** Binds a buffer that the kernel writes and may read. */
  CommandRecorder writes(int index, GpuBuffer buffer) {
    commands.buffer(index, buffer, 0);
    conflict |= writtenBefore.contains(buffer) || readBefore.contains(buffer);
    written.add(buffer);
    return this;
  }

  CommandRecorder put(int value) {
    constants.set(ValueLayout.JAVA_INT, constantsLength, value);
    constantsLength += 4;
    return this;
  }

  CommandRecorder put(float value) {
    return put(Float.floatToRawIntBits(value));
  }

  /** Binds the constants that were added since the last call of {@link #kernel}. */
  CommandRecorder constants(int index) {
    commands.constants(index, constants, constantsLength);
    counters.add(Counter.BOUND_BYTES, constantsLength);
    return this;
  }

  CommandRecorder threadgroupBytes(int bytes) {
    commands.threadgroupBytes(bytes);
    return this;
  }

  void dispatch(int x, int y, int z, int threads) {
    if (threads > kernel.maxThreads()) {
      throw new GpuException(
          "this GPU runs the kernel %s with at most %d threads, but the kernel needs %d"
              .formatted(kernel.name(), kernel.maxThreads(), threads));
    }
    if (conflict) {
      commands.barrier();
      counters.add(Counter.BARRIERS, 1);
      readBefore.clear();
      writtenBefore.clear();
      conflict = false;
    }
    readBefore.addAll(read);
    writtenBefore.addAll(written);
    read.clear();
    written.clear();
    commands.dispatch(x, y, z, threads);
    counters.add(Counter.DISPATCHES, 1);
  }

  // ---- the submission -------------------------------------------------------------------------

  /** Submits the encoded work. If no work is encoded, returns the last submission. */
  Submission submit() {
    if (commands == null) {
      return inFlight.last();
    }
    readBefore.clear();
    writtenBefore.clear();
    commands = null;
    return inFlight.commit();
  }

  void flush() {
    submit().await();
  }

  /** Waits for all work and ignores its failures. */
  void close() {
    try {
      inFlight.last().await();
    } catch (GpuException e) {
      // Failures concern only callers that await work, and no caller awaits work now.
    }
    inFlight.abandon();
    scratches.forEach(GrowableBuffer::close);
  }
}
