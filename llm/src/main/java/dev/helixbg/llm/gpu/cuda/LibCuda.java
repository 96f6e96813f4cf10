package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Functions and errors of NVIDIA's driver library that the engine uses. The CUDA driver API defines
 * their names and values. Handles, pointers, sizes and numbers are passed as {@code long}.
 */
final class LibCuda {
  // Results; their names begin with CUDA_ERROR_.
  static final int OUT_OF_MEMORY = 2;
  static final int NO_DEVICE = 100;
  static final int NOT_READY = 600;

  private static final int MOST_ARGUMENTS = 8;

  enum Function {
    INIT("cuInit"),
    DRIVER_GET_VERSION("cuDriverGetVersion"),
    GET_ERROR_STRING("cuGetErrorString"),
    DEVICE_GET("cuDeviceGet"),
    DEVICE_GET_NAME("cuDeviceGetName"),
    DEVICE_GET_ATTRIBUTE("cuDeviceGetAttribute"),
    PRIMARY_CTX_RETAIN("cuDevicePrimaryCtxRetain"),
    PRIMARY_CTX_RELEASE("cuDevicePrimaryCtxRelease_v2"),
    CTX_SET_CURRENT("cuCtxSetCurrent"),
    MEM_GET_INFO("cuMemGetInfo_v2"),
    MEM_ALLOC("cuMemAlloc_v2"),
    MEM_FREE("cuMemFree_v2"),
    MEM_HOST_ALLOC("cuMemHostAlloc"),
    MEM_FREE_HOST("cuMemFreeHost"),
    MEMSET("cuMemsetD8Async"),
    MEMCPY_TO_DEVICE("cuMemcpyHtoDAsync_v2"),
    MEMCPY_TO_HOST("cuMemcpyDtoHAsync_v2"),
    MEMCPY_ON_DEVICE("cuMemcpyDtoDAsync_v2"),
    STREAM_CREATE("cuStreamCreate"),
    STREAM_DESTROY("cuStreamDestroy_v2"),
    STREAM_SYNCHRONIZE("cuStreamSynchronize"),
    STREAM_BEGIN_CAPTURE("cuStreamBeginCapture_v2"),
    STREAM_END_CAPTURE("cuStreamEndCapture"),
    LIBRARY_LOAD("cuLibraryLoadData"),
    LIBRARY_GET_MODULE("cuLibraryGetModule"),
    LIBRARY_UNLOAD("cuLibraryUnload"),
    MODULE_GET_FUNCTION("cuModuleGetFunction"),
    FUNC_GET_ATTRIBUTE("cuFuncGetAttribute"),
    LAUNCH_KERNEL("cuLaunchKernelEx"),
    EVENT_CREATE("cuEventCreate"),
    EVENT_RECORD("cuEventRecord"),
    EVENT_QUERY("cuEventQuery"),
    EVENT_SYNCHRONIZE("cuEventSynchronize"),
    EVENT_DESTROY("cuEventDestroy_v2"),
    GRAPH_INSTANTIATE("cuGraphInstantiateWithFlags"),
    GRAPH_LAUNCH("cuGraphLaunch"),
    GRAPH_EXEC_DESTROY("cuGraphExecDestroy"),
    GRAPH_DESTROY("cuGraphDestroy");

    private final String symbol;

    Function(String symbol) {
      this.symbol = symbol;
    }
  }

  private final Map<Function, NativeFunction> functions = new EnumMap<>(Function.class);
  private long context;
  private Thread current;

  private LibCuda(SymbolLookup symbols) {
    for (Function f : Function.values()) {
      MemorySegment address =
          symbols
              .find(f.symbol)
              .orElseThrow(
                  () ->
                      new GpuException(
                          "the NVIDIA driver is too old: it lacks %s, which CUDA %s has"
                              .formatted(f.symbol, CudaDevice.OLDEST_CUDA)));
      functions.put(f, new NativeFunction(address));
    }
  }

  /** Loads the library, which stays loaded until the process ends. */
  static LibCuda load(String path) {
    try {
      return new LibCuda(SymbolLookup.libraryLookup(path, Arena.global()));
    } catch (IllegalArgumentException e) {
      throw GpuException.absent(
          "there is no CUDA on this machine: it needs an NVIDIA GPU and its driver (" + path + ")",
          e);
    }
  }

  /** Sets the context for all later calls by any thread; 0 means no context. */
  void enter(long newContext) {
    context = newContext;
    current = null;
  }

  int ask(Function f, long... arguments) {
    // The driver stores a context per thread, so a new thread must set the context.
    if (context != 0 && current != Thread.currentThread()) {
      // if this fails, the call below fails, too
      functions.get(Function.CTX_SET_CURRENT).call(context);
      current = Thread.currentThread();
    }
    long[] a = Arrays.copyOf(arguments, MOST_ARGUMENTS);
    return (int) functions.get(f).call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
  }

  void call(Function f, long... arguments) {
    check(f, ask(f, arguments));
  }

  /** Calls a function whose first argument is a pointer for the result; returns the result. */
  long get(Function f, long... others) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      long[] arguments = new long[others.length + 1];
      arguments[0] = out.address();
      System.arraycopy(others, 0, arguments, 1, others.length);
      call(f, arguments);
      return out.get(JAVA_LONG, 0);
    }
  }

  void check(Function f, int result) {
    if (result != 0) {
      throw GpuException.unfinished("%s (%s says %d)".formatted(text(result), f.symbol, result));
    }
  }

  String text(int result) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      return ask(Function.GET_ERROR_STRING, result, out.address()) == 0
          ? out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0)
          : "error " + result;
    }
  }
}
