package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Metal's default GPU with one command queue and the compiled kernels. One thread at a time may use
 * a device; it must be a platform thread.
 */
public final class MetalDevice implements GpuDevice {
  /** System property with the path of a library that replaces Apple's libraries, for tests. */
  public static final String PROPERTY = "helixbg.metal.library";

  /**
   * Options of buffers: MTLResourceStorageModeShared. With them, Metal tracks which command buffers
   * use a buffer, so that command buffers wait for each other.
   */
  private static final long SHARED = 0;

  private static final long MATH_MODE_FAST = 2; // MTLMathModeFast

  /** MTLLanguageVersion3_0, the version of macOS 13, which includes simdgroup matrices. */
  private static final long LANGUAGE_VERSION = 3 << 16;

  /** A closed device that can be reused together with its compiled kernels, or null. */
  static final AtomicReference<MetalDevice> AT_REST = new AtomicReference<>();

  private final ObjectiveC objc;
  final Arena arena = Arena.ofShared();

  /**
   * Memory for the two sizes (MTLSize) of a dispatch. All dispatches share it, because only one
   * thread at a time uses a device.
   */
  private final MemorySegment sizes = arena.allocate(ObjectiveC.Shapes.SIZE, 2);

  private final long id;

  private final String library;
  private volatile boolean rests;
  private final long queue;
  private final long pageSize = (int) NativeFunction.ofC("getpagesize").orElseThrow().call(0);
  private final Map<String, Long> libraries = new ConcurrentHashMap<>();
  private final Map<String, GpuKernel> pipelines = new ConcurrentHashMap<>();

  private MetalDevice(ObjectiveC objc, long id, String library) {
    this.objc = objc;
    this.library = library;
    this.id = objc.releasedBy(arena, id);
    try (ObjectiveC.Pool pool = objc.pool()) {
      long made = objc.ask(id, "newCommandQueue");
      if (made == ObjectiveC.NIL) {
        throw new GpuException("Metal gave no command queue");
      }
      queue = objc.releasedBy(arena, made);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Opens the system's default device, or the device of the library in {@link #PROPERTY}. A device
   * that was closed without a failure is reused, with its compiled kernels; the process keeps one
   * such device.
   */
  public static MetalDevice open() {
    String library = System.getProperty(PROPERTY, "");
    MetalDevice rested = AT_REST.getAndSet(null);
    if (rested != null) {
      if (rested.library.equals(library)) {
        return rested;
      }
      rested.arena.close();
    }
    MetalDevice opened = open(library);
    opened.rests = true;
    return opened;
  }

  /**
   * @param library path of a library that replaces all of Apple's libraries, or empty
   * @throws GpuException if there is no Metal on this machine; the message is one sentence
   */
  static MetalDevice open(String library) {
    ObjectiveC objc = new ObjectiveC(library);
    long device;
    try (ObjectiveC.Pool pool = objc.pool()) {
      device = objc.function("MTLCreateSystemDefaultDevice").call(0);
    }
    if (device == ObjectiveC.NIL) {
      throw GpuException.absent(
          "there is no Metal on this machine: it has no GPU that Metal can use", null);
    }
    return new MetalDevice(objc, device, library);
  }

  @Override
  public String backend() {
    return "metal";
  }

  @Override
  public String name() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      return objc.text(objc.ask(id, "name"));
    }
  }

  @Override
  public long memoryBudget() {
    return objc.ask(id, "recommendedMaxWorkingSetSize");
  }

  @Override
  public long memoryUsed() {
    return objc.ask(id, "currentAllocatedSize");
  }

  @Override
  public long maxBufferBytes() {
    return objc.ask(id, "maxBufferLength");
  }

  @Override
  public GpuCommands commands() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      long made = objc.ask(queue, "commandBuffer");
      if (made == ObjectiveC.NIL) {
        throw new GpuException("Metal gave no command buffer");
      }
      return new MetalCommands(objc, objc.retain(made), sizes, () -> rests = false);
    }
  }

  // ---- buffers --------------------------------------------------------------------------------

  @Override
  public GpuBuffer buffer(Arena owner, String label, long bytes) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      long buffer = objc.ask(id, "newBufferWithLength:options:", bytes, SHARED);
      if (buffer == ObjectiveC.NIL) {
        throw GpuException.failed(
            "Metal has no memory for a buffer of %,d bytes (%s); its budget is %,d bytes"
                .formatted(bytes, label, memoryBudget()));
      }
      return owned(owner, label, buffer, bytes);
    }
  }

  /** Wraps memory as a buffer; returns null in some virtual machines, where Metal refuses this. */
  @Override
  public GpuBuffer pages(Arena owner, String label, long address, long bytes) {
    long start = pageStart(address);
    long length = pageStart(address + bytes + pageSize - 1) - start;
    try (ObjectiveC.Pool pool = objc.pool()) {
      long buffer =
          objc.ask(
              id,
              "newBufferWithBytesNoCopy:length:options:deallocator:",
              start,
              length,
              SHARED,
              ObjectiveC.NIL);
      if (buffer == ObjectiveC.NIL) {
        return null;
      }
      if (objc.ask(buffer, "length") != length) {
        objc.release(buffer);
        return null;
      }
      return owned(owner, label, buffer, length);
    }
  }

  @Override
  public long pageStart(long address) {
    return address & -pageSize;
  }

  private MetalBuffer owned(Arena owner, String label, long buffer, long bytes) {
    objc.label(buffer, label);
    MemorySegment data =
        MemorySegment.ofAddress(objc.ask(buffer, "contents"))
            .reinterpret(bytes, owner, segment -> objc.release(buffer));
    return new MetalBuffer(buffer, data);
  }

  // ---- kernels --------------------------------------------------------------------------------

  @Override
  public GpuKernel kernel(KernelLibrary library, String kernel) {
    String key = library.name() + "/" + kernel;
    GpuKernel known = pipelines.get(key);
    if (known == null) {
      Long compiled = libraries.get(library.name());
      if (compiled == null) {
        compiled = compile(library.name(), library.source());
        libraries.put(library.name(), compiled);
      }
      known = pipeline(compiled, kernel);
      pipelines.put(key, known);
    }
    return known;
  }

  private long compile(String library, String source) {
    long options = objc.ask(objc.classOf("MTLCompileOptions"), "new");
    long text = objc.string(source);
    try (ObjectiveC.Pool pool = objc.pool();
        Arena call = Arena.ofConfined()) {
      setFastMath(options);
      objc.ask(options, "setLanguageVersion:", LANGUAGE_VERSION);
      MemorySegment error = call.allocate(ADDRESS);
      long compiled =
          objc.ask(id, "newLibraryWithSource:options:error:", text, options, error.address());
      if (compiled == ObjectiveC.NIL) {
        throw new GpuException(
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

  /**
   * Allows fast, less exact mathematics. Before macOS 15, {@code setFastMathEnabled} is the only
   * method for this.
   */
  private void setFastMath(long options) {
    if (objc.has(options, "setMathMode:")) {
      objc.ask(options, "setMathMode:", MATH_MODE_FAST);
    } else {
      objc.ask(options, "setFastMathEnabled:", 1);
    }
  }

  private GpuKernel pipeline(long compiled, String kernel) {
    try (ObjectiveC.Pool pool = objc.pool();
        Arena call = Arena.ofConfined()) {
      long name = objc.string(kernel);
      long function = objc.ask(compiled, "newFunctionWithName:", name);
      objc.release(name);
      if (function == ObjectiveC.NIL) {
        throw new GpuException("the Metal sources have no kernel " + kernel);
      }
      MemorySegment error = call.allocate(ADDRESS);
      long pipeline =
          objc.ask(id, "newComputePipelineStateWithFunction:error:", function, error.address());
      objc.release(function);
      if (pipeline == ObjectiveC.NIL) {
        throw new GpuException(
            "Metal cannot prepare the kernel %s: %s"
                .formatted(kernel, objc.errorText(error.get(JAVA_LONG, 0))));
      }
      long threads = objc.ask(pipeline, "maxTotalThreadsPerThreadgroup");
      return new GpuKernel(objc.releasedBy(arena, pipeline), kernel, (int) threads);
    }
  }

  @Override
  public void close() {
    if (!rests || !AT_REST.compareAndSet(null, this)) {
      arena.close();
    }
  }

  /** An {@code MTLBuffer}, whose memory host and GPU share. */
  record MetalBuffer(long id, MemorySegment data) implements GpuBuffer {
    @Override
    public long bytes() {
      return data.byteSize();
    }

    @Override
    public void read(long offset, MemorySegment target) {
      MemorySegment.copy(data, offset, target, 0, target.byteSize());
    }

    @Override
    public void write(long offset, MemorySegment source) {
      MemorySegment.copy(source, 0, data, offset, source.byteSize());
    }

    @Override
    public void copy(GpuBuffer source) {
      write(0, source.data());
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
