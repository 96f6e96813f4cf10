package dev.helixbg.llm.metal.shim;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The default GPU with one command queue, and all that was compiled for it.
 *
 * <p>Libraries are compiled once per key, pipelines made once per kernel of a library. One thread
 * at a time, a platform thread.
 */
public final class MetalDevice implements AutoCloseable {
  /** MTLResourceStorageModeShared, with tracked hazards: command buffers wait for each other. */
  private static final long SHARED = 0;

  private static final long MATH_MODE_FAST = 2; // MTLMathModeFast

  private final ObjectiveC objc;
  private final Arena arena = Arena.ofShared();
  private final long id;
  private final CommandSelectors selectors;
  private final MetalQueue queue;
  private final long pageSize = systemPageSize();
  private final Map<String, Long> libraries = new HashMap<>();
  private final Map<String, MetalPipeline> pipelines = new HashMap<>();

  private MetalDevice(ObjectiveC objc, long id) {
    this.objc = objc;
    this.id = objc.releasedBy(arena, id);
    selectors = new CommandSelectors(objc);
    long made = objc.send.ask(id, objc.selector("newCommandQueue"));
    if (made == ObjectiveC.NIL) {
      arena.close();
      throw new MetalException("Metal gave no command queue");
    }
    queue = new MetalQueue(objc, selectors, objc.releasedBy(arena, made));
  }

  /**
   * Opens the system's default device.
   *
   * @throws MetalException if there is no Metal on this machine, in one sentence for the user
   */
  public static MetalDevice open(MetalLibraries libraries) {
    ObjectiveC objc = new ObjectiveC(libraries);
    MethodHandle create =
        objc.function("MTLCreateSystemDefaultDevice", FunctionDescriptor.of(JAVA_LONG));
    long device;
    try (ObjectiveC.Pool pool = objc.pool()) {
      device = (long) create.invokeExact();
    } catch (Throwable e) {
      throw MessageSend.unexpected(e);
    }
    if (device == ObjectiveC.NIL) {
      throw new MetalException(
          "there is no Metal on this machine: it has no GPU that Metal can use");
    }
    return new MetalDevice(objc, device);
  }

  /** As the system calls it. */
  public String name() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      return objc.text(objc.send.ask(id, objc.selector("name")));
    }
  }

  /** Bytes that all buffers together should not pass, or work becomes slow. */
  public long memoryBudget() {
    return objc.send.ask(id, objc.selector("recommendedMaxWorkingSetSize"));
  }

  /** Bytes that this process has in buffers. */
  public long memoryUsed() {
    return objc.send.ask(id, objc.selector("currentAllocatedSize"));
  }

  /** Bytes of the largest buffer. */
  public long maxBufferBytes() {
    return objc.send.ask(id, objc.selector("maxBufferLength"));
  }

  /** Bytes that the threads of a threadgroup may share. */
  public int maxThreadgroupBytes() {
    return (int) objc.send.ask(id, objc.selector("maxThreadgroupMemoryLength"));
  }

  /** Whether host and GPU use the same memory. */
  public boolean unifiedMemory() {
    return objc.send.askBoolean(id, objc.selector("hasUnifiedMemory"));
  }

  public MetalQueue queue() {
    return queue;
  }

  // ---- buffers --------------------------------------------------------------------------------

  /**
   * A buffer of zeros.
   *
   * @param owner releases it when it closes
   * @throws MetalException if there is no memory for it
   */
  public MetalBuffer buffer(Arena owner, String label, long bytes) {
    long buffer = objc.send.ask(id, objc.selector("newBufferWithLength:options:"), bytes, SHARED);
    if (buffer == ObjectiveC.NIL) {
      throw new MetalException(
          "Metal has no memory for a buffer of %,d bytes (%s); its budget is %,d bytes"
              .formatted(bytes, label, memoryBudget()));
    }
    return owned(owner, label, buffer, bytes);
  }

  /**
   * The whole pages that hold {@code bytes} bytes from {@code address} on, as a buffer that the GPU
   * only reads: nothing is copied. Its first byte is that of {@link #pageStart}.
   *
   * <p>The memory must stay mapped until {@code owner} closes.
   *
   * @return null if Metal refuses, as in some virtual machines; then a copy must do
   */
  public MetalBuffer pages(Arena owner, String label, long address, long bytes) {
    long start = pageStart(address);
    long length = pageStart(address + bytes + pageSize - 1) - start;
    long buffer =
        objc.send.ask(
            id,
            objc.selector("newBufferWithBytesNoCopy:length:options:deallocator:"),
            start,
            length,
            SHARED,
            ObjectiveC.NIL);
    if (buffer == ObjectiveC.NIL) {
      return null;
    }
    if (objc.send.ask(buffer, objc.selector("length")) != length) {
      objc.release(buffer);
      return null;
    }
    return owned(owner, label, buffer, length);
  }

  /** The first address of the page that holds an address. */
  public long pageStart(long address) {
    return address & -pageSize;
  }

  private MetalBuffer owned(Arena owner, String label, long buffer, long bytes) {
    objc.label(buffer, label);
    MemorySegment data =
        MemorySegment.ofAddress(objc.send.ask(buffer, objc.selector("contents")))
            .reinterpret(bytes, owner, segment -> objc.release(buffer));
    return new MetalBuffer(buffer, data);
  }

  /** 16,384 on Apple silicon, 4,096 elsewhere. */
  private static long systemPageSize() {
    Linker linker = Linker.nativeLinker();
    MemorySegment function = linker.defaultLookup().findOrThrow("getpagesize");
    MethodHandle getPageSize = linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT));
    try {
      return (int) getPageSize.invokeExact();
    } catch (Throwable e) {
      throw MessageSend.unexpected(e);
    }
  }

  // ---- kernels --------------------------------------------------------------------------------

  /**
   * A kernel of a source, compiled with fast math when it is first asked for.
   *
   * @param library stands for the source: the same key must mean the same text
   * @param source is asked for only if the library was not compiled yet
   * @throws MetalException with the compiler's messages, or if there is no such kernel
   */
  public MetalPipeline pipeline(String library, Supplier<String> source, String kernel) {
    String key = library + "/" + kernel;
    MetalPipeline known = pipelines.get(key);
    if (known == null) {
      Long compiled = libraries.get(library);
      if (compiled == null) {
        compiled = compile(library, source.get());
        libraries.put(library, compiled);
      }
      known = pipeline(compiled, kernel);
      pipelines.put(key, known);
    }
    return known;
  }

  private long compile(String library, String source) {
    long options = objc.send.ask(objc.classOf("MTLCompileOptions"), objc.selector("new"));
    long text = objc.string(source);
    try (ObjectiveC.Pool pool = objc.pool();
        Arena call = Arena.ofConfined()) {
      setFastMath(options);
      MemorySegment error = call.allocate(ADDRESS);
      long compiled =
          objc.send.ask(
              id,
              objc.selector("newLibraryWithSource:options:error:"),
              text,
              options,
              error.address());
      if (compiled == ObjectiveC.NIL) {
        throw new MetalException(
            "Metal cannot compile the kernels of %s: %s"
                .formatted(library, objc.errorText(error.get(JAVA_LONG, 0))));
      }
      objc.label(compiled, library);
      return objc.releasedBy(arena, compiled);
    } finally {
      objc.release(text);
      objc.release(options);
    }
  }

  /** By the method of macOS 15, or the one that it replaced. */
  private void setFastMath(long options) {
    long setMathMode = objc.selector("setMathMode:");
    if (objc.send.askBoolean(options, objc.selector("respondsToSelector:"), setMathMode)) {
      objc.send.tell(options, setMathMode, MATH_MODE_FAST);
    } else {
      objc.send.tellBoolean(options, objc.selector("setFastMathEnabled:"), true);
    }
  }

  private MetalPipeline pipeline(long library, String kernel) {
    long name = objc.string(kernel);
    long function = objc.send.ask(library, objc.selector("newFunctionWithName:"), name);
    objc.release(name);
    if (function == ObjectiveC.NIL) {
      throw new MetalException("the Metal sources have no kernel " + kernel);
    }
    try (ObjectiveC.Pool pool = objc.pool();
        Arena call = Arena.ofConfined()) {
      MemorySegment error = call.allocate(ADDRESS);
      long pipeline =
          objc.send.ask(
              id,
              objc.selector("newComputePipelineStateWithFunction:error:"),
              function,
              error.address());
      if (pipeline == ObjectiveC.NIL) {
        throw new MetalException(
            "Metal cannot prepare the kernel %s: %s"
                .formatted(kernel, objc.errorText(error.get(JAVA_LONG, 0))));
      }
      long threads = objc.send.ask(pipeline, objc.selector("maxTotalThreadsPerThreadgroup"));
      return new MetalPipeline(objc.releasedBy(arena, pipeline), kernel, (int) threads);
    } finally {
      objc.release(function);
    }
  }

  /** Releases everything but buffers, which their own arenas release. */
  @Override
  public void close() {
    arena.close();
  }
}
