package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.cuda.LibCuda.Function;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The first NVIDIA GPU of the driver, with one stream and the loaded kernels. All work runs in the
 * order of the stream, so no barriers are needed. Only one thread at a time may use the device, but
 * different threads may take turns.
 */
public final class CudaDevice implements GpuDevice {
  /** System property with the path of a library that replaces the driver's library, for tests. */
  public static final String PROPERTY = "helixbg.cuda.library";

  private static final String LIBRARY = "libcuda.so.1";

  /** The oldest CUDA version with all needed functions. Drivers support it from version 525 on. */
  static final String OLDEST_CUDA = "12.0";

  private static final int OLDEST_VERSION = 12_000;

  // Oldest CUDA version and architecture (Hopper) on which a kernel may start before the preceding
  // kernel has ended, also in graphs.
  private static final int OVERLAP_VERSION = 12_030;
  private static final int OVERLAP_ARCHITECTURE = 90;

  /** Oldest supported architecture: Ampere, compute capability 8.0, for which the PTX is made. */
  private static final int OLDEST_ARCHITECTURE = 80;

  // Values of CUdevice_attribute.
  private static final int COMPUTE_CAPABILITY_MAJOR = 75;
  private static final int COMPUTE_CAPABILITY_MINOR = 76;

  private static final int MAX_THREADS_PER_BLOCK = 0; // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
  private static final int PORTABLE_AND_MAPPED = 1 | 2; // CU_MEMHOSTALLOC_PORTABLE and _DEVICEMAP
  private static final int NON_BLOCKING = 1; // CU_STREAM_NON_BLOCKING
  private static final int NAME_BYTES = 256;

  /** Size of the buffer through which the host reads GPU memory; frequent reads fit in it. */
  private static final long BOUNCE_BYTES = 64 * 1024;

  private final LibCuda cuda;
  private final Arena arena = Arena.ofShared();
  private final int ordinal;
  private final long stream;
  private final int version;
  private final int architecture;
  private final LaunchRecorder launches;
  private final MemorySegment bounce;

  private final Map<String, Long> libraries = new ConcurrentHashMap<>();
  private long used;
  private boolean closed;

  private CudaDevice(LibCuda cuda, int version, int ordinal, int architecture) {
    this.cuda = cuda;
    this.version = version;
    this.ordinal = ordinal;
    this.architecture = architecture;
    cuda.enter(cuda.get(Function.PRIMARY_CTX_RETAIN, ordinal));
    try {
      stream = cuda.get(Function.STREAM_CREATE, NON_BLOCKING);
      bounce = pinned(arena, "bounce", BOUNCE_BYTES);
      launches = new LaunchRecorder(cuda, stream, overlaps());
    } catch (RuntimeException | Error e) {
      close(); // frees the context, which uses memory of the GPU
      throw e;
    }
  }

  /** Opens the first GPU of the system's driver, or of the library in {@link #PROPERTY}. */
  public static CudaDevice open() {
    return open(System.getProperty(PROPERTY, LIBRARY));
  }

  /**
   * @throws GpuException if the driver or the GPU is missing or too old to run the kernels; the
   *     message is one sentence
   */
  public static CudaDevice open(String library) {
    LibCuda cuda = LibCuda.load(library);
    int result = cuda.ask(Function.INIT);
    if (result != 0) {
      String message =
          "the NVIDIA driver offers no GPU: %s (result of cuInit: %d)"
              .formatted(cuda.text(result), result);
      throw result == LibCuda.NO_DEVICE
          ? GpuException.absent(message, null)
          : new GpuException(message);
    }
    int version = (int) cuda.get(Function.DRIVER_GET_VERSION);
    if (version < OLDEST_VERSION) {
      throw new GpuException(
          "the NVIDIA driver is too old: it has CUDA %s, but CUDA %s is needed"
              .formatted(versionText(version), OLDEST_CUDA));
    }
    int ordinal = (int) cuda.get(Function.DEVICE_GET);
    long major = cuda.get(Function.DEVICE_GET_ATTRIBUTE, COMPUTE_CAPABILITY_MAJOR, ordinal);
    long minor = cuda.get(Function.DEVICE_GET_ATTRIBUTE, COMPUTE_CAPABILITY_MINOR, ordinal);
    int architecture = (int) (10 * major + minor);
    if (architecture < OLDEST_ARCHITECTURE) {
      throw new GpuException(
          "the %s is too old: it has compute capability %d.%d, but the kernels need 8.0 (Ampere)"
              .formatted(name(cuda, ordinal), major, minor));
    }
    return new CudaDevice(cuda, version, ordinal, architecture);
  }

  private static String versionText(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  private static String name(LibCuda cuda, int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(NAME_BYTES);
      cuda.call(Function.DEVICE_GET_NAME, name.address(), NAME_BYTES, ordinal);
      return name.getString(0);
    }
  }

  private boolean overlaps() {
    return architecture >= OVERLAP_ARCHITECTURE && version >= OVERLAP_VERSION;
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

  /** Returns the free memory plus the memory that this object uses, in bytes. */
  @Override
  public long memoryBudget() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment total = call.allocate(JAVA_LONG);
      return cuda.get(Function.MEM_GET_INFO, total.address()) + used;
    }
  }

  @Override
  public long memoryUsed() {
    return used;
  }

  // ---- memory ---------------------------------------------------------------------------------

  @Override
  public GpuBuffer buffer(Arena owner, String label, long bytes) {
    return new CudaBuffer(memory(owner, label, bytes), null);
  }

  @Override
  public GpuBuffer shared(Arena owner, String label, long bytes) {
    MemorySegment host = pinned(owner, label, bytes);
    return new CudaBuffer(host, host);
  }

  @Override
  public GpuBuffer staged(Arena owner, String label, long bytes, GpuBuffer other) {
    MemorySegment memory =
        other == null ? memory(owner, label, bytes) : ((CudaBuffer) other).memory;
    return new CudaBuffer(memory, pinned(owner, label, bytes));
  }

  private MemorySegment memory(Arena owner, String label, long bytes) {
    long address = allocated(Function.MEM_ALLOC, label, bytes, 0);
    used += bytes;
    MemorySegment memory =
        MemorySegment.ofAddress(address)
            .reinterpret(
                bytes,
                owner,
                freed -> {
                  used -= bytes;
                  free(Function.MEM_FREE, address);
                });
    cuda.call(Function.MEMSET, address, 0, bytes, stream);
    return memory;
  }

  /** Returns pinned host memory, which has the same address on the GPU. */
  private MemorySegment pinned(Arena owner, String label, long bytes) {
    long address = allocated(Function.MEM_HOST_ALLOC, label, bytes, PORTABLE_AND_MAPPED);
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, owner, freed -> free(Function.MEM_FREE_HOST, address))
        .fill((byte) 0);
  }

  private long allocated(Function f, String label, long bytes, long flags) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment out = call.allocate(JAVA_LONG);
      int result = cuda.ask(f, out.address(), bytes, flags);
      if (result == LibCuda.OUT_OF_MEMORY) {
        throw GpuException.failed(
            ("the GPU has no memory for a buffer of %,d bytes (%s): helix-bg uses %,d bytes and"
                    + " may use at most %,d")
                .formatted(bytes, label, used, memoryBudget()));
      }
      cuda.check(f, result);
      return out.get(JAVA_LONG, 0);
    }
  }

  /** Frees memory. Errors are ignored, because the memory of a lost GPU is already freed. */
  private void free(Function f, long address) {
    if (!closed) {
      cuda.ask(f, address);
    }
  }

  private void transfer(Function way, long target, long source, long bytes) {
    cuda.call(way, target, source, bytes, stream);
    cuda.call(Function.STREAM_SYNCHRONIZE, stream);
  }

  // ---- kernels --------------------------------------------------------------------------------

  @Override
  public boolean has(KernelLibrary library) {
    return PtxLibrary.has(library.name());
  }

  @Override
  public GpuKernel kernel(KernelLibrary library, String kernel) {
    Long loaded = libraries.get(library.name());
    if (loaded == null) {
      loaded = load(library.name());
      libraries.put(library.name(), loaded);
    }
    try (Arena call = Arena.ofConfined()) {
      MemorySegment entry = call.allocateFrom(PtxLibrary.entry(kernel));
      long module = cuda.get(Function.LIBRARY_GET_MODULE, loaded);
      long function = cuda.get(Function.MODULE_GET_FUNCTION, module, entry.address());
      long threads = cuda.get(Function.FUNC_GET_ATTRIBUTE, MAX_THREADS_PER_BLOCK, function);
      return new GpuKernel(function, kernel, (int) threads);
    }
  }

  /**
   * Loads a library, which the driver compiles or takes from its own cache. Unlike modules, which
   * belong to a context, libraries can be compiled in parallel.
   */
  private long load(String library) {
    String text = PtxLibrary.read(library, overlaps());
    try (Arena call = Arena.ofConfined()) {
      return cuda.get(Function.LIBRARY_LOAD, call.allocateFrom(text).address());
    }
  }

  @Override
  public GpuCommands commands() {
    return launches.commands();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (launches != null) { // null if the stream could not be made
      launches.close();
    }
    libraries.values().forEach(library -> cuda.ask(Function.LIBRARY_UNLOAD, library));
    arena.close();
    if (stream != 0) {
      cuda.ask(Function.STREAM_DESTROY, stream);
    }
    closed = true;
    cuda.ask(Function.PRIMARY_CTX_RELEASE, ordinal);
    cuda.enter(0);
  }

  /** A buffer in the GPU's memory, in pinned host memory, or in both. */
  final class CudaBuffer implements GpuBuffer {
    private final MemorySegment memory;
    private final MemorySegment host;

    /**
     * @param memory memory whose address is valid on the GPU
     * @param host host memory of the same size, or null if the buffer has none
     */
    CudaBuffer(MemorySegment memory, MemorySegment host) {
      this.memory = memory;
      this.host = host;
    }

    long address(long offset) {
      if (!memory.scope().isAlive()) {
        throw new IllegalStateException("a buffer is used after it was released");
      }
      return memory.address() + offset;
    }

    @Override
    public long bytes() {
      return memory.byteSize();
    }

    @Override
    public MemorySegment data() {
      if (host == null) {
        throw new UnsupportedOperationException("the host cannot access the GPU's memory");
      }
      return host;
    }

    @Override
    public void read(long offset, MemorySegment target) {
      Objects.checkFromIndexSize(offset, target.byteSize(), bytes());
      // Copies through pinned memory, which the GPU writes directly.
      for (long done = 0; done < target.byteSize(); done += BOUNCE_BYTES) {
        long part = Math.min(BOUNCE_BYTES, target.byteSize() - done);
        transfer(Function.MEMCPY_TO_HOST, bounce.address(), address(offset + done), part);
        MemorySegment.copy(bounce, 0, target, done, part);
      }
    }

    @Override
    public void write(long offset, MemorySegment source) {
      long bytes = source.byteSize();
      Objects.checkFromIndexSize(offset, bytes, bytes());
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment from = source.isNative() ? source : arena.allocate(bytes).copyFrom(source);
        transfer(Function.MEMCPY_TO_DEVICE, address(offset), from.address(), bytes);
      }
    }

    @Override
    public void copy(GpuBuffer source) {
      long bytes = source.bytes();
      Objects.checkFromIndexSize(0, bytes, bytes());
      long from = ((CudaBuffer) source).address(0);
      transfer(Function.MEMCPY_ON_DEVICE, address(0), from, bytes);
    }
  }
}
