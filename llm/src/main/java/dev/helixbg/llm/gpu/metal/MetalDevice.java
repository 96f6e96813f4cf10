package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.gpu.driver.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Metal's default GPU with one command queue, and all that was compiled for it.
 *
 * <p>Libraries are compiled once per key, pipelines made once per kernel of a library. One thread
 * at a time, a platform thread.
 */
public final class MetalDevice implements GpuDevice {
  /** MTLResourceStorageModeShared, with tracked hazards: command buffers wait for each other. */
  private static final long SHARED = 0;

  private static final long MATH_MODE_FAST = 2; // MTLMathModeFast

  /** MTLLanguageVersion3_0, of macOS 13; simdgroup matrices are older. */
  private static final long LANGUAGE_VERSION = 3 << 16;

  /** Buffers that were not asked for longer may be taken out of the GPU's memory. */
  private static final long RESIDENT_NANOS = 500_000_000;

  private final ObjectiveC objc;
  private final Arena arena = Arena.ofShared();
  private final long id;
  private final CommandSelectors selectors;
  private final long queue;

  /** The {@code MTLResidencySet} of all buffers; nil before macOS 15. */
  private final long residency;

  private boolean resident;
  private long residentSince;
  private final long pageSize = systemPageSize();
  private final Map<String, Long> libraries = new ConcurrentHashMap<>();
  private final Map<String, GpuKernel> pipelines = new ConcurrentHashMap<>();

  private MetalDevice(ObjectiveC objc, long id) {
    this.objc = objc;
    this.id = objc.releasedBy(arena, id);
    selectors = new CommandSelectors(objc);
    try (ObjectiveC.Pool pool = objc.pool()) {
      long made = objc.send.ask(id, objc.selector("newCommandQueue"));
      if (made == ObjectiveC.NIL) {
        arena.close();
        throw new GpuException("Metal gave no command queue");
      }
      queue = objc.releasedBy(arena, made);
      residency = newResidencySet();
    }
  }

  private long newResidencySet() {
    long selector = objc.selector("newResidencySetWithDescriptor:error:");
    if (!objc.send.isTrue(id, objc.selector("respondsToSelector:"), selector)) {
      return ObjectiveC.NIL;
    }
    long descriptor =
        objc.send.ask(objc.classOf("MTLResidencySetDescriptor"), objc.selector("new"));
    try (Arena call = Arena.ofConfined()) {
      long made = objc.send.ask(id, selector, descriptor, call.allocate(ADDRESS).address());
      if (made != ObjectiveC.NIL) { // without, Metal decides for itself
        objc.releasedBy(arena, made);
        objc.send.ask(queue, objc.selector("addResidencySet:"), made);
      }
      return made;
    } finally {
      objc.release(descriptor);
    }
  }

  /** While it works; what is at rest is not asked for, and the system may have its memory. */
  private void keepResident() {
    long now = System.nanoTime();
    if (residency != ObjectiveC.NIL && (!resident || now - residentSince > RESIDENT_NANOS)) {
      objc.send.ask(residency, objc.selector("requestResidency"));
      resident = true;
      residentSince = now;
    }
  }

  /**
   * Opens the system's default device.
   *
   * @throws GpuException if there is no Metal on this machine, in one sentence for the user
   */
  public static MetalDevice open(MetalLibraries libraries) {
    ObjectiveC objc = new ObjectiveC(libraries);
    long device;
    try (ObjectiveC.Pool pool = objc.pool()) {
      device = objc.function("MTLCreateSystemDefaultDevice").call(0);
    }
    if (device == ObjectiveC.NIL) {
      throw GpuException.absent(
          "there is no Metal on this machine: it has no GPU that Metal can use", null);
    }
    return new MetalDevice(objc, device);
  }

  @Override
  public String backend() {
    return "metal";
  }

  @Override
  public String name() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      return objc.text(objc.send.ask(id, objc.selector("name")));
    }
  }

  /** Above it work becomes slow. */
  @Override
  public long memoryBudget() {
    return objc.send.ask(id, objc.selector("recommendedMaxWorkingSetSize"));
  }

  @Override
  public long memoryUsed() {
    return objc.send.ask(id, objc.selector("currentAllocatedSize"));
  }

  @Override
  public long maxBufferBytes() {
    return objc.send.ask(id, objc.selector("maxBufferLength"));
  }

  @Override
  public GpuCommands commands() {
    try (ObjectiveC.Pool pool = objc.pool()) {
      keepResident();
      long made = objc.send.ask(queue, selectors.commandBuffer());
      if (made == ObjectiveC.NIL) {
        throw new GpuException("Metal gave no command buffer");
      }
      return new MetalCommands(objc, selectors, objc.retain(made));
    }
  }

  // ---- buffers --------------------------------------------------------------------------------

  @Override
  public GpuBuffer buffer(Arena owner, String label, long bytes) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      long buffer = objc.send.ask(id, objc.selector("newBufferWithLength:options:"), bytes, SHARED);
      if (buffer == ObjectiveC.NIL) {
        throw GpuException.failed(
            "Metal has no memory for a buffer of %,d bytes (%s); its budget is %,d bytes"
                .formatted(bytes, label, memoryBudget()));
      }
      return owned(owner, label, buffer, bytes);
    }
  }

  /** Refused in some virtual machines. */
  @Override
  public GpuBuffer pages(Arena owner, String label, long address, long bytes) {
    long start = pageStart(address);
    long length = pageStart(address + bytes + pageSize - 1) - start;
    try (ObjectiveC.Pool pool = objc.pool()) {
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
  }

  @Override
  public long pageStart(long address) {
    return address & -pageSize;
  }

  private MetalBuffer owned(Arena owner, String label, long buffer, long bytes) {
    objc.label(buffer, label);
    inResidencySet("addAllocation:", buffer);
    MemorySegment data =
        MemorySegment.ofAddress(objc.send.ask(buffer, objc.selector("contents")))
            .reinterpret(bytes, owner, segment -> release(buffer));
    return new MetalBuffer(buffer, data);
  }

  private void release(long buffer) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      inResidencySet("removeAllocation:", buffer);
      objc.release(buffer);
    }
  }

  private void inResidencySet(String change, long buffer) {
    if (residency != ObjectiveC.NIL) {
      objc.send.ask(residency, objc.selector(change), buffer);
      objc.send.ask(residency, objc.selector("commit"));
    }
  }

  /** 16,384 on Apple silicon, 4,096 elsewhere. */
  private static long systemPageSize() {
    SymbolLookup library = Linker.nativeLinker().defaultLookup();
    return (int) new NativeFunction(library.findOrThrow("getpagesize")).call(0);
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

  /** With fast math. */
  private long compile(String library, String source) {
    long options = objc.send.ask(objc.classOf("MTLCompileOptions"), objc.selector("new"));
    long text = objc.string(source);
    try (ObjectiveC.Pool pool = objc.pool();
        Arena call = Arena.ofConfined()) {
      setFastMath(options);
      objc.send.ask(options, objc.selector("setLanguageVersion:"), LANGUAGE_VERSION);
      MemorySegment error = call.allocate(ADDRESS);
      long compiled =
          objc.send.ask(
              id,
              objc.selector("newLibraryWithSource:options:error:"),
              text,
              options,
              error.address());
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

  /** By the method of macOS 15, or the one that it replaced. */
  private void setFastMath(long options) {
    long setMathMode = objc.selector("setMathMode:");
    if (objc.send.isTrue(options, objc.selector("respondsToSelector:"), setMathMode)) {
      objc.send.ask(options, setMathMode, MATH_MODE_FAST);
    } else {
      objc.send.ask(options, objc.selector("setFastMathEnabled:"), 1);
    }
  }

  private GpuKernel pipeline(long library, String kernel) {
    try (ObjectiveC.Pool pool = objc.pool()) {
      long name = objc.string(kernel);
      long function = objc.send.ask(library, objc.selector("newFunctionWithName:"), name);
      objc.release(name);
      if (function == ObjectiveC.NIL) {
        throw new GpuException("the Metal sources have no kernel " + kernel);
      }
      return pipelineOf(function, kernel);
    }
  }

  /** The function is released. */
  private GpuKernel pipelineOf(long function, String kernel) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment error = call.allocate(ADDRESS);
      long pipeline =
          objc.send.ask(
              id,
              objc.selector("newComputePipelineStateWithFunction:error:"),
              function,
              error.address());
      if (pipeline == ObjectiveC.NIL) {
        throw new GpuException(
            "Metal cannot prepare the kernel %s: %s"
                .formatted(kernel, objc.errorText(error.get(JAVA_LONG, 0))));
      }
      long threads = objc.send.ask(pipeline, objc.selector("maxTotalThreadsPerThreadgroup"));
      return new GpuKernel(objc.releasedBy(arena, pipeline), kernel, (int) threads);
    } finally {
      objc.release(function);
    }
  }

  @Override
  public void close() {
    if (resident) {
      objc.send.ask(residency, objc.selector("endResidency"));
      resident = false;
    }
    arena.close();
  }
}
