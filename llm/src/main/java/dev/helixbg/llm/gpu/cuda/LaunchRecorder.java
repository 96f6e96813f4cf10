package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.cuda.CudaDevice.CudaBuffer;
import dev.helixbg.llm.gpu.cuda.LibCuda.Function;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Records uploads and launches (starts of kernels), then runs them on a stream: first all uploads,
 * then the launches in order. Each upload has its own memory, so uploads cannot overwrite each
 * other. If a recording repeats byte for byte, as in the passes of an answer, its launches become a
 * CUDA graph. A graph needs one call of the driver instead of a hundred.
 *
 * <p>The first launch after an upload waits until all earlier launches have ended. Any other launch
 * may begin while the preceding launch runs; at some point, its kernel waits for the earlier
 * launches. Before that point, the kernel may read only uploaded data (tables of a pass), and data
 * written by launches before the last upload (keys and values of earlier passes).
 *
 * <p>A recorded launch has a CUlaunchConfig, the function, the size of the parameters, and the
 * parameters. Each parameter begins at a multiple of eight bytes.
 */
final class LaunchRecorder implements AutoCloseable {
  private static final long FIRST_BYTES = 64 * 1024;
  private static final int MOST_ARGUMENTS = 31;
  private static final int MOST_ARGUMENT_BYTES = 256;
  private static final int MOST_PARAMETERS = 512;

  // Offsets in a recorded launch, in bytes: fields of CUlaunchConfig, then the other parts.
  private static final int THREADS = 12;
  private static final int SHARED_BYTES = 24;
  private static final int STREAM = 32;
  private static final int ATTRIBUTES = 40;
  private static final int ATTRIBUTE_COUNT = 48;
  private static final int FUNCTION = 56;
  private static final int PARAMETER_BYTES = 64;
  private static final int PARAMETERS = 72;

  /** Minimum number of launches for a graph. With fewer, as for some prompts, it gains no speed. */
  private static final int FEWEST = 16;

  /**
   * Maximum number of remembered recordings. An answer has several recordings, because its passes
   * alternate between buffers.
   */
  private static final int MOST_REMEMBERED = 24;

  private static final int UNTIMED = 2; // CU_EVENT_DISABLE_TIMING
  private static final int PER_THREAD_CAPTURE = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  private static final int OVERLAP = 6; // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION

  // CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE
  private static final long END = 0;
  private static final long POINTER = 1;
  private static final long SIZE = 2;

  /** A recording that was run. {@code graph} is a {@code CUgraphExec}; 0 until the second run. */
  private static final class Known {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment text;
    private long graph;

    private Known(MemorySegment source) {
      text = arena.allocate(source.byteSize(), 8).copyFrom(source);
    }
  }

  private record Upload(long target, long source, long bytes) {}

  private final LibCuda cuda;
  private final long stream;
  private final boolean overlapping;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment attribute = arena.allocate(72, 8); // CUlaunchAttribute
  private final MemorySegment extra = arena.allocate(JAVA_LONG, 5);
  private final List<Known> known = new ArrayList<>();
  private final List<Upload> uploads = new ArrayList<>();
  private Arena textArena = Arena.ofShared();
  private MemorySegment text = textArena.allocate(FIRST_BYTES, 8);
  private long length;
  private int count;
  private boolean early;

  // State of the launch that is being recorded; parameters are in the order of their indices.
  private long function;
  private int sharedBytes;
  private int arguments;
  private final int[] argumentBytes = new int[MOST_ARGUMENTS];
  private final MemorySegment argument = arena.allocate(MOST_ARGUMENTS * MOST_ARGUMENT_BYTES, 8);

  LaunchRecorder(LibCuda cuda, long stream, boolean overlapping) {
    this.cuda = cuda;
    this.stream = stream;
    this.overlapping = overlapping;
    attribute.set(JAVA_INT, 0, OVERLAP);
    attribute.set(JAVA_INT, 8, 1);
    extra.setAtIndex(JAVA_LONG, 0, POINTER);
    extra.setAtIndex(JAVA_LONG, 2, SIZE);
    extra.setAtIndex(JAVA_LONG, 4, END);
  }

  GpuCommands commands() {
    length = 0;
    count = 0;
    uploads.clear();
    early = false;
    return new Commands();
  }

  // ---- recording ------------------------------------------------------------------------------

  private long place(int index, int bytes) {
    argumentBytes[index] = bytes;
    arguments = Math.max(arguments, index + 1);
    return (long) index * MOST_ARGUMENT_BYTES;
  }

  private static int aligned(int bytes) {
    return bytes + 7 & -8;
  }

  /** Returns memory for a launch: zeros, because recordings are compared byte by byte. */
  private MemorySegment room() {
    long most = PARAMETERS + MOST_PARAMETERS;
    if (text.byteSize() - length < most) {
      Arena newArena = Arena.ofShared();
      text = newArena.allocate(2 * text.byteSize(), 8).copyFrom(text);
      textArena.close();
      textArena = newArena;
    }
    return text.asSlice(length, most).fill((byte) 0);
  }

  // ---- running --------------------------------------------------------------------------------

  private void run() {
    for (Upload upload : uploads) {
      cuda.call(Function.MEMCPY_TO_DEVICE, upload.target, upload.source, upload.bytes, stream);
    }
    Known again = count < FEWEST ? null : remembered(text.asSlice(0, length));
    if (again == null) {
      launchEach();
      return;
    }
    if (again.graph == 0) {
      again.graph = graph();
    }
    cuda.call(Function.GRAPH_LAUNCH, again.graph, stream);
  }

  /**
   * Returns the earlier recording that equals {@code now}. If there is none, remembers {@code now}
   * and returns null.
   */
  private Known remembered(MemorySegment now) {
    for (int i = known.size() - 1; i >= 0; i--) {
      if (known.get(i).text.mismatch(now) < 0) {
        Known found = known.remove(i);
        known.add(found);
        return found;
      }
    }
    if (known.size() == MOST_REMEMBERED) {
      forget(known.removeFirst());
    }
    known.add(new Known(now));
    return null;
  }

  private void forget(Known old) {
    if (old.graph != 0) {
      cuda.ask(Function.GRAPH_EXEC_DESTROY, old.graph);
    }
    old.arena.close();
  }

  private long graph() {
    cuda.call(Function.STREAM_BEGIN_CAPTURE, stream, PER_THREAD_CAPTURE);
    long captured = 0;
    try {
      try {
        launchEach();
      } finally {
        captured = captured();
      }
      return cuda.get(Function.GRAPH_INSTANTIATE, captured, 0);
    } finally {
      if (captured != 0) {
        cuda.ask(Function.GRAPH_DESTROY, captured);
      }
    }
  }

  private long captured() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment out = call.allocate(JAVA_LONG);
      cuda.call(Function.STREAM_END_CAPTURE, stream, out.address());
      return out.get(JAVA_LONG, 0);
    }
  }

  private void launchEach() {
    long at = 0;
    for (int i = 0; i < count; i++) {
      long config = text.address() + at;
      extra.setAtIndex(JAVA_LONG, 1, config + PARAMETERS);
      extra.setAtIndex(JAVA_LONG, 3, config + PARAMETER_BYTES);
      long kernel = text.get(JAVA_LONG, at + FUNCTION);
      cuda.call(Function.LAUNCH_KERNEL, config, kernel, 0, extra.address());
      at += PARAMETERS + aligned((int) text.get(JAVA_LONG, at + PARAMETER_BYTES));
    }
  }

  @Override
  public void close() {
    known.forEach(this::forget);
    known.clear();
    textArena.close();
    arena.close();
  }

  // ---- the engine's commands ------------------------------------------------------------------

  /** Commands that record launches; an event marks their end. */
  private final class Commands implements GpuCommands {
    private final long end = cuda.get(Function.EVENT_CREATE, UNTIMED);

    @Override
    public void kernel(GpuKernel kernel) {
      function = kernel.handle();
      sharedBytes = 0;
      arguments = 0;
    }

    @Override
    public void buffer(int index, GpuBuffer buffer, long offset) {
      argument.set(JAVA_LONG, place(index, Long.BYTES), ((CudaBuffer) buffer).address(offset));
    }

    @Override
    public void constants(int index, MemorySegment constants, int length) {
      MemorySegment.copy(constants, 0, argument, place(index, length), length);
    }

    @Override
    public void threadgroupBytes(int length) {
      sharedBytes = (length + 15) & -16;
    }

    @Override
    public void dispatch(int x, int y, int z, int threads) {
      MemorySegment launch = room();
      launch.set(JAVA_INT, 0, x);
      launch.set(JAVA_INT, 4, y);
      launch.set(JAVA_INT, 8, z);
      launch.set(JAVA_INT, THREADS, threads);
      launch.set(JAVA_INT, THREADS + 4, 1);
      launch.set(JAVA_INT, THREADS + 8, 1);
      launch.set(JAVA_INT, SHARED_BYTES, sharedBytes);
      launch.set(JAVA_LONG, STREAM, stream);
      launch.set(JAVA_LONG, ATTRIBUTES, attribute.address());
      launch.set(JAVA_INT, ATTRIBUTE_COUNT, early ? 1 : 0);
      launch.set(JAVA_LONG, FUNCTION, function);
      int end = 0;
      for (int i = 0; i < arguments; i++) {
        end = aligned(end);
        long from = (long) i * MOST_ARGUMENT_BYTES;
        MemorySegment.copy(argument, from, launch, PARAMETERS + end, argumentBytes[i]);
        end += argumentBytes[i];
      }
      launch.set(JAVA_LONG, PARAMETER_BYTES, end);
      early = overlapping;
      length += PARAMETERS + aligned(end);
      count++;
    }

    @Override
    public void upload(GpuBuffer staged, long offset, long bytes) {
      CudaBuffer buffer = (CudaBuffer) staged;
      long from = buffer.data().address() + offset;
      uploads.add(new Upload(buffer.address(offset), from, bytes));
      early = false;
    }

    @Override
    public void commit() {
      run();
      cuda.call(Function.EVENT_RECORD, end, stream);
    }

    @Override
    public boolean ended() {
      return cuda.ask(Function.EVENT_QUERY, end) != LibCuda.NOT_READY;
    }

    @Override
    public void await() {
      cuda.call(Function.EVENT_SYNCHRONIZE, end);
    }

    @Override
    public void close() {
      cuda.ask(Function.EVENT_DESTROY, end);
    }
  }
}
