package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Launches and uploads, written down one after another and then run on a stream. What is run again
 * byte for byte, as the passes of an answer are, becomes a graph: one call instead of a hundred.
 *
 * <p>A launch is written as its function, seven numbers (grid, threads, shared bytes, bytes of
 * parameters), and its parameters as the kernel gets them; an upload as three numbers behind a
 * function of 0.
 */
final class Launches implements AutoCloseable {
  private static final long FIRST_BYTES = 64 * 1024;
  private static final int MOST_PARAMETERS = 512;
  private static final int HEAD_BYTES = 8 + 6 * 4;

  /** So often is something run launch by launch before it becomes a graph. */
  private static final int RUNS_BEFORE = 2;

  /** Fewer launches are started as fast one by one. */
  private static final int FEWEST = 8;

  /** The last so many are remembered: the passes of an answer use their buffers in turns. */
  private static final int MOST_REMEMBERED = 24;

  private static final int PER_THREAD_CAPTURE = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  private static final int OVERLAP = 6; // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION

  // CU_LAUNCH_PARAM_
  private static final long END = 0;
  private static final long POINTER = 1;
  private static final long SIZE = 2;

  /** Something that was run; {@code graph} is a {@code CUgraphExec}, or 0. */
  private static final class Known {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment text;
    private int runs;
    private long graph;

    private Known(MemorySegment source) {
      text = arena.allocate(source.byteSize(), 8).copyFrom(source);
    }
  }

  private final LibCuda cuda;
  private final long stream;
  private final boolean overlapping;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment config = arena.allocate(56, 8); // CUlaunchConfig
  private final MemorySegment attribute = arena.allocate(72, 8); // CUlaunchAttribute
  private final MemorySegment extra = arena.allocate(JAVA_LONG, 5);
  private final MemorySegment size = arena.allocate(JAVA_LONG);
  private final MemorySegment parameters = arena.allocate(MOST_PARAMETERS, 8);
  private final List<Known> known = new ArrayList<>();
  private Arena textArena = Arena.ofShared();
  private MemorySegment text = textArena.allocate(FIRST_BYTES, 8);
  private long length;
  private int count;

  // The launch that is being put together; its parameters come in the order of their indices.
  private long function;
  private final long[] values = new long[31];
  private final int[] constantAt = new int[31];
  private final int[] constantBytes = new int[31];
  private int arguments;
  private int constantsLength;
  private final MemorySegment constants = arena.allocate(MOST_PARAMETERS, 8);
  private int sharedBytes;

  /**
   * @param overlapping whether a kernel may be started while the one before it ends
   */
  Launches(LibCuda cuda, long stream, boolean overlapping) {
    this.cuda = cuda;
    this.stream = stream;
    this.overlapping = overlapping;
    attribute.set(JAVA_INT, 0, OVERLAP);
    attribute.set(JAVA_INT, 8, 1);
    config.set(JAVA_LONG, 32, stream);
    config.set(JAVA_LONG, 40, attribute.address());
    config.set(JAVA_INT, 48, overlapping ? 1 : 0);
    extra.setAtIndex(JAVA_LONG, 0, POINTER);
    extra.setAtIndex(JAVA_LONG, 1, parameters.address());
    extra.setAtIndex(JAVA_LONG, 2, SIZE);
    extra.setAtIndex(JAVA_LONG, 3, size.address());
    extra.setAtIndex(JAVA_LONG, 4, END);
  }

  /** Forgets what was written down. */
  void clear() {
    length = 0;
    count = 0;
  }

  // ---- writing down ---------------------------------------------------------------------------

  void kernel(long newFunction) {
    function = newFunction;
    arguments = 0;
    constantsLength = 0;
    sharedBytes = 0;
  }

  void pointer(int index, long address) {
    values[index] = address;
    constantBytes[index] = 0;
    arguments = Math.max(arguments, index + 1);
  }

  void constants(int index, MemorySegment source, int bytes) {
    MemorySegment.copy(source, 0, constants, constantsLength, bytes);
    constantAt[index] = constantsLength;
    constantBytes[index] = bytes;
    constantsLength += bytes;
    arguments = Math.max(arguments, index + 1);
  }

  void sharedBytes(int bytes) {
    sharedBytes = bytes;
  }

  /** Numbers of four bytes and pointers of eight, each aligned to its size. */
  void launch(int x, int y, int z, int threads) {
    long at = next(HEAD_BYTES + MOST_PARAMETERS);
    text.set(JAVA_LONG, at, function);
    text.set(JAVA_INT, at + 8, x);
    text.set(JAVA_INT, at + 12, y);
    text.set(JAVA_INT, at + 16, z);
    text.set(JAVA_INT, at + 20, threads);
    text.set(JAVA_INT, at + 24, sharedBytes);
    long first = at + HEAD_BYTES;
    long end = first;
    for (int i = 0; i < arguments; i++) {
      if (constantBytes[i] > 0) {
        MemorySegment.copy(constants, constantAt[i], text, end, constantBytes[i]);
        end += constantBytes[i];
      } else {
        long aligned = end + 7 & -8L;
        text.asSlice(end, aligned - end).fill((byte) 0);
        text.set(JAVA_LONG, aligned, values[i]);
        end = aligned + 8;
      }
    }
    text.set(JAVA_INT, at + 28, (int) (end - first));
    length = end + 7 & -8L;
    text.asSlice(end, length - end).fill((byte) 0);
    count++;
  }

  void upload(long to, long from, long bytes) {
    long at = next(32);
    text.set(JAVA_LONG, at, 0);
    text.set(JAVA_LONG, at + 8, to);
    text.set(JAVA_LONG, at + 16, from);
    text.set(JAVA_LONG, at + 24, bytes);
    length = at + 32;
    count++;
  }

  private long next(long room) {
    if (text.byteSize() - length < room) {
      Arena newArena = Arena.ofShared();
      text = newArena.allocate(2 * text.byteSize(), 8).copyFrom(text);
      textArena.close();
      textArena = newArena;
    }
    return length;
  }

  // ---- running --------------------------------------------------------------------------------

  /** Hands all of it to the stream. */
  void run() {
    if (count < FEWEST) {
      launchEach();
      return;
    }
    Known now = remembered(text.asSlice(0, length));
    if (now.graph == 0 && now.runs == RUNS_BEFORE) {
      now.graph = graph();
    }
    if (now.graph == 0) {
      now.runs++;
      launchEach();
    } else {
      cuda.call(cuda.graphLaunch, now.graph, stream);
    }
  }

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
    Known made = new Known(now);
    known.add(made);
    return made;
  }

  private void forget(Known old) {
    if (old.graph != 0) {
      cuda.ask(cuda.graphExecDestroy, old.graph);
    }
    old.arena.close();
  }

  private long graph() {
    cuda.call(cuda.streamBeginCapture, stream, PER_THREAD_CAPTURE);
    long captured;
    try {
      launchEach();
    } finally {
      captured = captured();
    }
    try {
      return cuda.get(cuda.graphInstantiate, captured, 0);
    } finally {
      cuda.ask(cuda.graphDestroy, captured);
    }
  }

  private long captured() {
    MemorySegment out = parameters.asSlice(0, 8);
    cuda.call(cuda.streamEndCapture, stream, out.address());
    return out.get(JAVA_LONG, 0);
  }

  private void launchEach() {
    long at = 0;
    for (int i = 0; i < count; i++) {
      long kernel = text.get(JAVA_LONG, at);
      if (kernel == 0) {
        cuda.call(
            cuda.memcpyHtoDAsync,
            text.get(JAVA_LONG, at + 8),
            text.get(JAVA_LONG, at + 16),
            text.get(JAVA_LONG, at + 24),
            stream);
        at += 32;
        continue;
      }
      config.set(JAVA_INT, 0, text.get(JAVA_INT, at + 8));
      config.set(JAVA_INT, 4, text.get(JAVA_INT, at + 12));
      config.set(JAVA_INT, 8, text.get(JAVA_INT, at + 16));
      config.set(JAVA_INT, 12, text.get(JAVA_INT, at + 20));
      config.set(JAVA_INT, 16, 1);
      config.set(JAVA_INT, 20, 1);
      config.set(JAVA_INT, 24, text.get(JAVA_INT, at + 24));
      int bytes = text.get(JAVA_INT, at + 28);
      MemorySegment.copy(text, at + HEAD_BYTES, parameters, 0, bytes);
      size.set(JAVA_LONG, 0, bytes);
      cuda.call(cuda.launchKernelEx, config.address(), kernel, 0, extra.address());
      at = at + HEAD_BYTES + bytes + 7 & -8L;
    }
  }

  @Override
  public void close() {
    known.forEach(this::forget);
    known.clear();
    textArena.close();
    arena.close();
  }
}
