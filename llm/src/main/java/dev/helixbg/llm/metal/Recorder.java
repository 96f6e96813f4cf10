package dev.helixbg.llm.metal;

import dev.helixbg.llm.backend.Counters;
import dev.helixbg.llm.backend.Counters.Counter;
import dev.helixbg.llm.backend.Submission;
import dev.helixbg.llm.metal.shim.CommandBuffer;
import dev.helixbg.llm.metal.shim.ComputeEncoder;
import dev.helixbg.llm.metal.shim.MetalBuffer;
import dev.helixbg.llm.metal.shim.MetalDevice;
import dev.helixbg.llm.metal.shim.MetalException;
import dev.helixbg.llm.metal.shim.MetalPipeline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes dispatches: one command buffer and one concurrent encoder per submission, a barrier
 * exactly where a dispatch touches what an earlier one wrote, or writes what it reads.
 */
final class Recorder {
  private static final int MAX_CONSTANTS = 256;

  private final Counters counters;
  private final InFlight inFlight;
  private final Uploads uploads;
  private final Profile profile;
  private final MemorySegment constants;

  private CommandBuffer commandBuffer;
  private ComputeEncoder encoder;
  private long submission;
  private String label = "";

  /** Whether the submission had an encoder before. */
  private boolean reopening;

  /** Buffers read and written since the last barrier. */
  private final List<MetalBuffer> readBefore = new ArrayList<>();

  private final List<MetalBuffer> writtenBefore = new ArrayList<>();

  // The dispatch that is being put together.
  private final List<MetalBuffer> read = new ArrayList<>();
  private final List<MetalBuffer> written = new ArrayList<>();
  private MetalPipeline pipeline;
  private boolean conflict;
  private int constantsLength;

  /**
   * @param profile if not null, each dispatch is timed in a command buffer of its own
   */
  Recorder(MetalDevice device, Arena arena, Counters counters, Profile profile) {
    this.counters = counters;
    this.profile = profile;
    inFlight = new InFlight(device.queue(), counters);
    uploads = new Uploads(device, arena, InFlight.DEPTH);
    constants = arena.allocate(MAX_CONSTANTS, 16);
  }

  InFlight inFlight() {
    return inFlight;
  }

  /** A table for the dispatches of the submission that is being encoded. */
  Uploads.Table table(int ints) {
    open();
    return uploads.table(ints);
  }

  /** The number of the submission that is being encoded; tables of others are gone. */
  long submission() {
    open();
    return submission;
  }

  /** What the submission does, for tools and for the account of waits. */
  void label(String newLabel) {
    label = newLabel;
  }

  private void open() {
    if (commandBuffer == null) {
      commandBuffer = inFlight.begin();
      uploads.begin(inFlight.slot());
      submission++;
    }
  }

  // ---- one dispatch ---------------------------------------------------------------------------

  /** Begins a dispatch. */
  Recorder kernel(MetalPipeline kernel) {
    open();
    if (encoder == null) {
      encoder = commandBuffer.encoder(true);
      counters.add(Counter.ENCODERS, 1);
      counters.add(Counter.REOPENED_ENCODERS, reopening ? 1 : 0);
    }
    pipeline = kernel;
    encoder.pipeline(kernel);
    constantsLength = 0;
    return this;
  }

  /** Binds what no kernel ever writes: weights, and what was uploaded for this submission. */
  Recorder fixed(int index, MetalBuffer buffer, long offset) {
    encoder.buffer(index, buffer, offset);
    return this;
  }

  Recorder fixed(int index, Uploads.Table table) {
    return fixed(index, table.buffer(), table.offset());
  }

  Recorder weights(int index, MetalMatrix matrix) {
    return fixed(index, matrix.buffer(), matrix.offset());
  }

  /** Binds what the kernel reads. */
  Recorder reads(int index, MetalBuffer buffer, long offset) {
    encoder.buffer(index, buffer, offset);
    conflict |= writtenBefore.contains(buffer);
    read.add(buffer);
    return this;
  }

  /** Binds what the kernel writes, and may read. */
  Recorder writes(int index, MetalBuffer buffer, long offset) {
    encoder.buffer(index, buffer, offset);
    conflict |= writtenBefore.contains(buffer) || readBefore.contains(buffer);
    written.add(buffer);
    return this;
  }

  /** The next number of the kernel's constants. */
  Recorder put(int value) {
    constants.set(ValueLayout.JAVA_INT, constantsLength, value);
    constantsLength += 4;
    return this;
  }

  /** The next number of the kernel's constants. */
  Recorder put(float value) {
    return put(Float.floatToRawIntBits(value));
  }

  /** Binds the constants that were put since {@link #kernel}. */
  Recorder constants(int index) {
    encoder.bytes(index, constants, constantsLength);
    counters.add(Counter.BOUND_BYTES, constantsLength);
    return this;
  }

  Recorder threadgroupBytes(int bytes) {
    encoder.threadgroupBytes(0, bytes);
    return this;
  }

  /** Starts {@code x · y · z} threadgroups, after a barrier if one is needed. */
  void dispatch(int x, int y, int z, int threads) {
    if (threads > pipeline.maxThreads()) {
      throw new MetalException(
          "this GPU runs the kernel %s with at most %d threads, and it needs %d"
              .formatted(pipeline.name(), pipeline.maxThreads(), threads));
    }
    if (conflict) {
      encoder.barrier();
      counters.add(Counter.BARRIERS, 1);
      readBefore.clear();
      writtenBefore.clear();
      conflict = false;
    }
    readBefore.addAll(read);
    writtenBefore.addAll(written);
    read.clear();
    written.clear();
    encoder.dispatch(x, y, z, threads);
    counters.add(Counter.DISPATCHES, 1);
    if (profile != null) {
      time();
    }
  }

  /** The submission goes on in another command buffer; its tables stay. */
  private void time() {
    commit(pipeline.name());
    profile.add(pipeline.name(), inFlight.gpuSecondsOfLast());
    commandBuffer = inFlight.begin();
    reopening = true;
  }

  // ---- the submission -------------------------------------------------------------------------

  private Submission commit(String newLabel) {
    if (encoder != null) {
      encoder.end();
      encoder.close();
      encoder = null;
    }
    readBefore.clear();
    writtenBefore.clear();
    commandBuffer = null;
    return inFlight.commit(newLabel);
  }

  /** Hands over what was encoded; if nothing was, the result stands for what went before. */
  Submission submit() {
    reopening = false;
    return commandBuffer == null ? inFlight.last() : commit(label);
  }

  /** Hands over what was encoded, and waits for all there is. */
  void flush() {
    submit();
    inFlight.flush();
  }

  /** Leaves nothing on its way; work that fails now is of no interest any more. */
  void close() {
    if (encoder != null) {
      encoder.end();
      encoder.close();
      encoder = null;
    }
    try {
      inFlight.flush();
    } catch (MetalException e) {
      // Whoever awaited it was told; nobody did.
    }
    inFlight.abandon();
  }
}
