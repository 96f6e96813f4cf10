package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The first NVIDIA GPU that the driver shows, one stream on it, and all that was loaded there.
 *
 * <p>Everything runs in the order of the stream, so that no barriers are needed. One thread at a
 * time, but any: the context follows.
 */
public final class CudaDevice implements GpuDevice {
  /**
   * System property with the path of a library that stands in for the driver's: the tests put their
   * stand-in there.
   */
  public static final String PROPERTY = "helixbg.cuda.library";

  private static final String LIBRARY = "libcuda.so.1";

  /** What the functions are taken from; the drivers are 525 and newer. */
  static final String OLDEST_CUDA = "12.0";

  private static final int OLDEST_VERSION = 12_000;

  /** From here on a graph may hold launches that overlap. */
  private static final int OVERLAP_VERSION = 12_030;

  /** Ampere: compute capability 8.0, for which the PTX is made. */
  private static final int OLDEST_ARCHITECTURE = 80;

  /** Hopper has what launches overlap by. */
  private static final int OVERLAP_ARCHITECTURE = 90;

  // CUdevice_attribute
  private static final int COMPUTE_CAPABILITY_MAJOR = 75;
  private static final int COMPUTE_CAPABILITY_MINOR = 76;

  private static final int MAX_THREADS_PER_BLOCK = 0; // CU_FUNC_ATTRIBUTE_
  private static final int PORTABLE_AND_MAPPED = 1 | 2; // CU_MEMHOSTALLOC_
  private static final int NON_BLOCKING = 1; // CU_STREAM_
  private static final int NAME_BYTES = 256;

  /** What is read often fits here. */
  private static final long BOUNCE_BYTES = 64 * 1024;

  private final LibCuda cuda;
  private final Arena arena = Arena.ofShared();
  private final int ordinal;
  private final long context;
  private final long stream;
  private final int version;
  private final int architecture;
  private final Launches launches;
  private final MemorySegment bounce;
  private final Map<String, Long> modules = new ConcurrentHashMap<>();
  private Thread current;
  private long used;
  private boolean closed;

  private CudaDevice(LibCuda cuda, int version, int ordinal, int architecture) {
    this.cuda = cuda;
    this.version = version;
    this.ordinal = ordinal;
    this.architecture = architecture;
    context = cuda.get(cuda.devicePrimaryCtxRetain, ordinal);
    enter();
    stream = cuda.get(cuda.streamCreate, NON_BLOCKING);
    bounce = pinned(arena, "bounce", BOUNCE_BYTES);
    launches = new Launches(cuda, stream, overlaps());
  }

  /** Opens the first GPU of the system's driver, or of the library that {@link #PROPERTY} names. */
  public static CudaDevice open() {
    return open(System.getProperty(PROPERTY, LIBRARY));
  }

  /**
   * Opens the first GPU that a driver library shows.
   *
   * @throws GpuException in one sentence for the user: no driver, too old a one, no GPU, or one
   *     that cannot run the kernels
   */
  public static CudaDevice open(String library) {
    LibCuda cuda = LibCuda.load(library);
    int result = cuda.ask(cuda.init, 0);
    if (result != 0) {
      String message =
          "the NVIDIA driver gives no GPU: %s (cuInit says %d)"
              .formatted(cuda.text(result), result);
      throw result == LibCuda.NO_DEVICE
          ? GpuException.absent(message, null)
          : new GpuException(message);
    }
    int version = (int) cuda.get(cuda.driverGetVersion);
    if (version < OLDEST_VERSION) {
      throw new GpuException(
          "the NVIDIA driver is too old: it has CUDA %s, and %s is needed"
              .formatted(versionText(version), OLDEST_CUDA));
    }
    int ordinal = (int) cuda.get(cuda.deviceGet, 0);
    int major = (int) cuda.get(cuda.deviceGetAttribute, COMPUTE_CAPABILITY_MAJOR, ordinal);
    int minor = (int) cuda.get(cuda.deviceGetAttribute, COMPUTE_CAPABILITY_MINOR, ordinal);
    if (10 * major + minor < OLDEST_ARCHITECTURE) {
      throw new GpuException(
          "the %s is too old: it has compute capability %d.%d, and the kernels need 8.0 (Ampere)"
              .formatted(name(cuda, ordinal), major, minor));
    }
    return new CudaDevice(cuda, version, ordinal, 10 * major + minor);
  }

  private static String versionText(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  private static String name(LibCuda cuda, int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(NAME_BYTES);
      cuda.call(cuda.deviceGetName, name.address(), NAME_BYTES, ordinal);
      return name.getString(0);
    }
  }

  /** Whether a kernel may start while the one before it ends. */
  private boolean overlaps() {
    return architecture >= OVERLAP_ARCHITECTURE && version >= OVERLAP_VERSION;
  }

  /** Makes the context the calling thread's. */
  void enter() {
    if (current != Thread.currentThread()) {
      cuda.call(cuda.ctxSetCurrent, context);
      current = Thread.currentThread();
    }
  }

  @Override
  public String backend() {
    return "cuda";
  }

  @Override
  public String name() {
    return name(cuda, ordinal);
  }

  @Override
  public String driver() {
    return "CUDA %s, compute capability %d.%d"
        .formatted(versionText(version), architecture / 10, architecture % 10);
  }

  /** What is free, and what is ours. */
  @Override
  public long memoryBudget() {
    enter();
    try (Arena call = Arena.ofConfined()) {
      MemorySegment out = call.allocate(JAVA_LONG, 2);
      cuda.call(cuda.memGetInfo, out.address(), out.address() + Long.BYTES);
      return out.get(JAVA_LONG, 0) + used;
    }
  }

  @Override
  public long memoryUsed() {
    return used;
  }

  @Override
  public long maxBufferBytes() {
    return Long.MAX_VALUE;
  }

  // ---- memory ---------------------------------------------------------------------------------

  @Override
  public GpuBuffer buffer(Arena owner, String label, long bytes) {
    return new CudaBuffer(this, memory(owner, label, bytes), null);
  }

  @Override
  public GpuBuffer shared(Arena owner, String label, long bytes) {
    MemorySegment host = pinned(owner, label, bytes);
    return new CudaBuffer(this, host, host);
  }

  @Override
  public GpuBuffer staged(Arena owner, String label, long bytes, GpuBuffer other) {
    MemorySegment memory =
        other == null ? memory(owner, label, bytes) : ((CudaBuffer) other).memory();
    return new CudaBuffer(this, memory, pinned(owner, label, bytes));
  }

  /** The GPU does not read the host's pages: they are copied. */
  @Override
  public GpuBuffer pages(Arena owner, String label, long address, long bytes) {
    return null;
  }

  @Override
  public long pageStart(long address) {
    return address;
  }

  private MemorySegment memory(Arena owner, String label, long bytes) {
    enter();
    long address = allocated(label, bytes, cuda.memAlloc, bytes, 0);
    cuda.call(cuda.memsetD8Async, address, 0, bytes, stream);
    used += bytes;
    return MemorySegment.ofAddress(address)
        .reinterpret(
            bytes,
            owner,
            freed -> {
              used -= bytes;
              free(cuda.memFree, address);
            });
  }

  /** Memory of the host that stays where it is, at the same address for the GPU. */
  private MemorySegment pinned(Arena owner, String label, long bytes) {
    enter();
    long address = allocated(label, bytes, cuda.memHostAlloc, bytes, PORTABLE_AND_MAPPED);
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, owner, freed -> free(cuda.memFreeHost, address))
        .fill((byte) 0);
  }

  private long allocated(String label, long bytes, LibCuda.Function f, long size, long flags) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment out = call.allocate(JAVA_LONG);
      int result = cuda.ask(f, out.address(), size, flags);
      if (result == LibCuda.OUT_OF_MEMORY) {
        throw new GpuException(
            "the GPU has no memory for a buffer of %,d bytes (%s): %,d bytes are used here, %,d can be"
                .formatted(bytes, label, used, memoryBudget()));
      }
      cuda.check(f, result);
      return out.get(JAVA_LONG, 0);
    }
  }

  /** Memory of a GPU that was lost is gone already; nobody can be told here. */
  private void free(LibCuda.Function f, long address) {
    if (!closed) {
      enter();
      cuda.ask(f, address);
    }
  }

  void read(long address, MemorySegment target) {
    enter();
    for (long done = 0; done < target.byteSize(); ) {
      long part = Math.min(BOUNCE_BYTES, target.byteSize() - done);
      cuda.call(cuda.memcpyDtoHAsync, bounce.address(), address + done, part, stream);
      cuda.call(cuda.streamSynchronize, stream);
      MemorySegment.copy(bounce, 0, target, done, part);
      done += part;
    }
  }

  void write(MemorySegment source, long address) {
    enter();
    cuda.call(cuda.memcpyHtoDAsync, address, source.address(), source.byteSize(), stream);
    cuda.call(cuda.streamSynchronize, stream);
  }

  void copy(long from, long to, long bytes) {
    enter();
    cuda.call(cuda.memcpyDtoDAsync, to, from, bytes, stream);
    cuda.call(cuda.streamSynchronize, stream);
  }

  // ---- kernels --------------------------------------------------------------------------------

  @Override
  public boolean has(KernelLibrary library) {
    return Ptx.has(library.name());
  }

  @Override
  public GpuKernel kernel(KernelLibrary library, String kernel) {
    cuda.call(cuda.ctxSetCurrent, context); // a thread that compiles does not take turns
    Long module = modules.get(library.name());
    if (module == null) {
      module = load(library.name());
      modules.put(library.name(), module);
    }
    try (Arena call = Arena.ofConfined()) {
      long function =
          cuda.get(cuda.moduleGetFunction, module, call.allocateFrom(Ptx.entry(kernel)).address());
      int threads = (int) cuda.get(cuda.funcGetAttribute, MAX_THREADS_PER_BLOCK, function);
      return new CudaKernel(function, kernel, threads);
    }
  }

  /** The driver compiles it, or takes what it compiled in an earlier process. */
  private long load(String library) {
    String text = Ptx.read(library, overlaps());
    try (Arena call = Arena.ofConfined()) {
      return cuda.get(cuda.moduleLoadData, call.allocateFrom(text).address());
    }
  }

  @Override
  public GpuCommands commands() {
    enter();
    return new CudaCommands(this, cuda, stream, launches);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    enter();
    launches.close();
    modules.values().forEach(module -> cuda.ask(cuda.moduleUnload, module));
    arena.close();
    cuda.ask(cuda.streamDestroy, stream);
    closed = true;
    cuda.ask(cuda.devicePrimaryCtxRelease, ordinal);
    current = null;
  }
}
