package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Uploads and launches, written down and then run on a stream: first all uploads, which go to
 * places of their own, then the launches, one after another. Launches that come again byte for
 * byte, as the passes of an answer do, become a graph: one call instead of a hundred.
 *
 * <p>The first launch after an upload waits until all before it have ended; others may begin while
 * the one before them runs, and wait inside. So what a kernel reads before it waits must have been
 * written before the last upload: a pass's tables, and keys and values of earlier passes.
 *
 * <p>A launch is written as its function, eight numbers (grid, threads, shared bytes, bytes of
 * parameters, whether it may begin early, nothing), and its parameters as the kernel gets them.
 */
final class Launches implements AutoCloseable {
  private static final long FIRST_BYTES = 64 * 1024;
  private static final int MOST_PARAMETERS = 512;
  private static final int MOST_UPLOADS = 256;
  private static final int HEAD_BYTES = 8 + 8 * 4;

  /** Fewer launches are started as fast one by one, and are most often of a prompt. */
  private static final int FEWEST = 16;

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

  /** Per upload, where to, where from, and how many bytes. */
  private final MemorySegment uploads = arena.allocate(JAVA_LONG, 3L * MOST_UPLOADS);

  private int uploadCount;
  private boolean early;

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
   * @param overlapping whether a kernel may be started while the one before it runs
   */
  Launches(LibCuda cuda, long stream, boolean overlapping) {
    this.cuda = cuda;
    this.stream = stream;
    this.overlapping = overlapping;
    attribute.set(JAVA_INT, 0, OVERLAP);
    attribute.set(JAVA_INT, 8, 1);
    config.set(JAVA_LONG, 32, stream);
    config.set(JAVA_LONG, 40, attribute.address());
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
    uploadCount = 0;
    early = false;
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
        end = align(end);
        text.set(JAVA_LONG, end, values[i]);
        end += 8;
      }
    }
    text.set(JAVA_INT, at + 28, (int) (end - first));
    text.set(JAVA_INT, at + 32, early ? 1 : 0);
    text.set(JAVA_INT, at + 36, 0);
    early = overlapping;
    length = align(end);
    count++;
  }

  /** The next place for eight bytes; what is skipped is zero, since texts are compared. */
  private long align(long end) {
    if (end % 8 == 0) {
      return end;
    }
    text.set(JAVA_INT, end, 0);
    return end + 4;
  }

  void upload(long to, long from, long bytes) {
    if (uploadCount == MOST_UPLOADS) {
      throw new IllegalStateException("more than " + MOST_UPLOADS + " uploads at once");
    }
    uploads.setAtIndex(JAVA_LONG, 3L * uploadCount, to);
    uploads.setAtIndex(JAVA_LONG, 3L * uploadCount + 1, from);
    uploads.setAtIndex(JAVA_LONG, 3L * uploadCount + 2, bytes);
    uploadCount++;
    early = false;
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
    for (int i = 0; i < uploadCount; i++) {
      cuda.call(
          cuda.memcpyHtoDAsync,
          uploads.getAtIndex(JAVA_LONG, 3L * i),
          uploads.getAtIndex(JAVA_LONG, 3L * i + 1),
          uploads.getAtIndex(JAVA_LONG, 3L * i + 2),
          stream);
    }
    Known again = count < FEWEST ? null : remembered(text.asSlice(0, length));
    if (again == null) {
      launchEach();
      return;
    }
    if (again.graph == 0) {
      again.graph = graph();
    }
    cuda.call(cuda.graphLaunch, again.graph, stream);
  }

  /** What was run before; null if this is the first time, and then it is remembered. */
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
      config.set(JAVA_INT, 0, text.get(JAVA_INT, at + 8));
      config.set(JAVA_INT, 4, text.get(JAVA_INT, at + 12));
      config.set(JAVA_INT, 8, text.get(JAVA_INT, at + 16));
      config.set(JAVA_INT, 12, text.get(JAVA_INT, at + 20));
      config.set(JAVA_INT, 16, 1);
      config.set(JAVA_INT, 20, 1);
      config.set(JAVA_INT, 24, text.get(JAVA_INT, at + 24));
      config.set(JAVA_INT, 48, text.get(JAVA_INT, at + 32));
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
