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
 * Encodes dispatches: one command buffer with one encoder per submission, a barrier exactly where a
 * dispatch touches what an earlier one wrote, or writes what it reads.
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

  /** Buffers read and written since the last barrier. */
  private final List<GpuBuffer> readBefore = new ArrayList<>();

  private final List<GpuBuffer> writtenBefore = new ArrayList<>();

  // The dispatch that is being put together.
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

  /**
   * Begins, or ends, a rehearsal: what is encoded meanwhile is nothing but noted, and weights need
   * not be there. Nothing may be open.
   */
  void rehearse(boolean begins) {
    flush();
    rehearsing = begins;
    inFlight.rehearse(begins);
  }

  /** Memory between steps, released with this. */
  GrowableBuffer scratch(String label) {
    GrowableBuffer scratch = new GrowableBuffer(device, this, label);
    scratches.add(scratch);
    return scratch;
  }

  /** A table for the dispatches of the submission that is being encoded. */
  UploadTables.Table table(int ints) {
    open();
    return uploads.table(ints);
  }

  /** Kernels that are encoded from now on see the first {@code ints} numbers of a table. */
  void upload(UploadTables.Table table, int ints) {
    commands.upload(table.buffer(), table.offset(), 4L * ints);
  }

  /** The number of the submission that is being encoded; tables of others are gone. */
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

  /** Begins a dispatch. */
  CommandRecorder kernel(GpuKernel next) {
    open();
    kernel = next;
    commands.kernel(next);
    constantsLength = 0;
    return this;
  }

  /** Binds what no kernel ever writes: weights, and what was uploaded for this submission. */
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

  /** Binds what the kernel reads. */
  CommandRecorder reads(int index, GpuBuffer buffer) {
    commands.buffer(index, buffer, 0);
    conflict |= writtenBefore.contains(buffer);
    read.add(buffer);
    return this;
  }

  /** Binds what the kernel writes, and may read. */
  CommandRecorder writes(int index, GpuBuffer buffer) {
    commands.buffer(index, buffer, 0);
    conflict |= writtenBefore.contains(buffer) || readBefore.contains(buffer);
    written.add(buffer);
    return this;
  }

  /** The next number of the kernel's constants. */
  CommandRecorder put(int value) {
    constants.set(ValueLayout.JAVA_INT, constantsLength, value);
    constantsLength += 4;
    return this;
  }

  /** The next number of the kernel's constants. */
  CommandRecorder put(float value) {
    return put(Float.floatToRawIntBits(value));
  }

  /** Binds the constants that were put since {@link #kernel}. */
  CommandRecorder constants(int index) {
    commands.constants(index, constants, constantsLength);
    counters.add(Counter.BOUND_BYTES, constantsLength);
    return this;
  }

  CommandRecorder threadgroupBytes(int bytes) {
    commands.threadgroupBytes(bytes);
    return this;
  }

  /** Starts {@code x · y · z} threadgroups, after a barrier if one is needed. */
  void dispatch(int x, int y, int z, int threads) {
    if (threads > kernel.maxThreads()) {
      throw new GpuException(
          "this GPU runs the kernel %s with at most %d threads, and it needs %d"
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

  private Submission commit() {
    readBefore.clear();
    writtenBefore.clear();
    commands = null;
    return inFlight.commit();
  }

  /** Hands over what was encoded; if nothing was, the result stands for what went before. */
  Submission submit() {
    return commands == null ? inFlight.last() : commit();
  }

  /** Hands over what was encoded, and waits for all there is. */
  void flush() {
    submit();
    inFlight.flush();
  }

  /** Leaves nothing on its way; work that fails now is of no interest any more. */
  void close() {
    try {
      inFlight.flush();
    } catch (GpuException e) {
      // A failure is told to callers that await the work; there are none.
    }
    inFlight.abandon();
    scratches.forEach(GrowableBuffer::close);
  }
}
