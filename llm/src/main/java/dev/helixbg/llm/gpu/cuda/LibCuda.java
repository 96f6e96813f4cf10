package dev.helixbg.llm.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Collections;

/**
 * The functions of NVIDIA's driver library that are used, and its errors. Names and numbers are
 * those of the CUDA driver API.
 *
 * <p>Handles, pointers, sizes and numbers are all {@code long}: integers of any width travel in the
 * same registers on x86-64 and arm64, where this library exists, up to the six arguments that a
 * call has here.
 */
final class LibCuda {
  /** CUDA_ERROR_OUT_OF_MEMORY. */
  static final int OUT_OF_MEMORY = 2;

  /** CUDA_ERROR_NO_DEVICE. */
  static final int NO_DEVICE = 100;

  /** CUDA_ERROR_NOT_READY: not ended yet. */
  static final int NOT_READY = 600;

  private static final MethodHandle CALL_1 = shape(1);
  private static final MethodHandle CALL_2 = shape(2);
  private static final MethodHandle CALL_3 = shape(3);
  private static final MethodHandle CALL_4 = shape(4);

  /** A function of the library. */
  record Function(String name, MemorySegment address) {}

  private final SymbolLookup symbols;
  final Function init;
  final Function driverGetVersion;
  final Function deviceGet;
  final Function deviceGetName;
  final Function deviceGetAttribute;
  final Function devicePrimaryCtxRetain;
  final Function devicePrimaryCtxRelease;
  final Function ctxSetCurrent;
  final Function memGetInfo;
  final Function memAlloc;
  final Function memFree;
  final Function memHostAlloc;
  final Function memFreeHost;
  final Function memsetD8Async;
  final Function memcpyHtoDAsync;
  final Function memcpyDtoHAsync;
  final Function memcpyDtoDAsync;
  final Function streamCreate;
  final Function streamDestroy;
  final Function streamSynchronize;
  final Function streamBeginCapture;
  final Function streamEndCapture;
  final Function moduleLoadData;
  final Function moduleUnload;
  final Function moduleGetFunction;
  final Function funcGetAttribute;
  final Function launchKernelEx;
  final Function eventCreate;
  final Function eventRecord;
  final Function eventQuery;
  final Function eventSynchronize;
  final Function eventElapsedTime;
  final Function eventDestroy;
  final Function graphInstantiate;
  final Function graphLaunch;
  final Function graphExecDestroy;
  final Function graphDestroy;
  private final Function getErrorString;

  private LibCuda(SymbolLookup symbols) {
    this.symbols = symbols;
    init = function("cuInit");
    driverGetVersion = function("cuDriverGetVersion");
    deviceGet = function("cuDeviceGet");
    deviceGetName = function("cuDeviceGetName");
    deviceGetAttribute = function("cuDeviceGetAttribute");
    devicePrimaryCtxRetain = function("cuDevicePrimaryCtxRetain");
    devicePrimaryCtxRelease = function("cuDevicePrimaryCtxRelease_v2");
    ctxSetCurrent = function("cuCtxSetCurrent");
    memGetInfo = function("cuMemGetInfo_v2");
    memAlloc = function("cuMemAlloc_v2");
    memFree = function("cuMemFree_v2");
    memHostAlloc = function("cuMemHostAlloc");
    memFreeHost = function("cuMemFreeHost");
    memsetD8Async = function("cuMemsetD8Async");
    memcpyHtoDAsync = function("cuMemcpyHtoDAsync_v2");
    memcpyDtoHAsync = function("cuMemcpyDtoHAsync_v2");
    memcpyDtoDAsync = function("cuMemcpyDtoDAsync_v2");
    streamCreate = function("cuStreamCreate");
    streamDestroy = function("cuStreamDestroy_v2");
    streamSynchronize = function("cuStreamSynchronize");
    streamBeginCapture = function("cuStreamBeginCapture_v2");
    streamEndCapture = function("cuStreamEndCapture");
    moduleLoadData = function("cuModuleLoadData");
    moduleUnload = function("cuModuleUnload");
    moduleGetFunction = function("cuModuleGetFunction");
    funcGetAttribute = function("cuFuncGetAttribute");
    launchKernelEx = function("cuLaunchKernelEx");
    eventCreate = function("cuEventCreate");
    eventRecord = function("cuEventRecord");
    eventQuery = function("cuEventQuery");
    eventSynchronize = function("cuEventSynchronize");
    eventElapsedTime = function("cuEventElapsedTime");
    eventDestroy = function("cuEventDestroy_v2");
    graphInstantiate = function("cuGraphInstantiateWithFlags");
    graphLaunch = function("cuGraphLaunch");
    graphExecDestroy = function("cuGraphExecDestroy");
    graphDestroy = function("cuGraphDestroy");
    getErrorString = function("cuGetErrorString");
  }

  /**
   * The library of a path or name; it stays loaded until the process ends.
   *
   * @throws GpuException if it is not there, or lacks a function
   */
  static LibCuda load(String path) {
    try {
      return new LibCuda(SymbolLookup.libraryLookup(path, Arena.global()));
    } catch (IllegalArgumentException e) {
      throw GpuException.absent(
          "there is no CUDA on this machine: it needs an NVIDIA GPU and its driver (" + path + ")",
          e);
    }
  }

  private Function function(String name) {
    return new Function(
        name,
        symbols
            .find(name)
            .orElseThrow(
                () ->
                    new GpuException(
                        "the NVIDIA driver is too old: it lacks %s, which CUDA %s has"
                            .formatted(name, CudaDevice.OLDEST_CUDA))));
  }

  private static MethodHandle shape(int arguments) {
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(JAVA_INT)
            .appendArgumentLayouts(
                Collections.nCopies(arguments, JAVA_LONG).toArray(new MemoryLayout[0]));
    return Linker.nativeLinker().downcallHandle(descriptor);
  }

  // ---- calls ----------------------------------------------------------------------------------

  /** The function's own result, for those whose errors are answers. */
  int ask(Function f, long a) {
    try {
      return (int) CALL_1.invokeExact(f.address, a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int ask(Function f, long a, long b) {
    try {
      return (int) CALL_2.invokeExact(f.address, a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  int ask(Function f, long a, long b, long c) {
    try {
      return (int) CALL_3.invokeExact(f.address, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void call(Function f, long a) {
    check(f, ask(f, a));
  }

  void call(Function f, long a, long b) {
    check(f, ask(f, a, b));
  }

  void call(Function f, long a, long b, long c) {
    check(f, ask(f, a, b, c));
  }

  void call(Function f, long a, long b, long c, long d) {
    int result;
    try {
      result = (int) CALL_4.invokeExact(f.address, a, b, c, d);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check(f, result);
  }

  /** What the function writes where its first argument points to. */
  long get(Function f) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      call(f, out.address());
      return out.get(JAVA_LONG, 0);
    }
  }

  long get(Function f, long b) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      call(f, out.address(), b);
      return out.get(JAVA_LONG, 0);
    }
  }

  long get(Function f, long b, long c) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      call(f, out.address(), b, c);
      return out.get(JAVA_LONG, 0);
    }
  }

  /** Turns an error into an exception. */
  void check(Function f, int result) {
    if (result != 0) {
      throw new GpuException(
          "the GPU could not finish its work: %s (%s says %d)"
              .formatted(text(result), f.name, result));
    }
  }

  /** What a result means, in the driver's words. */
  String text(int result) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      return ask(getErrorString, result, out.address()) == 0
          ? out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0)
          : "error " + result;
    }
  }

  /** A downcall throws nothing of its own. */
  private static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
