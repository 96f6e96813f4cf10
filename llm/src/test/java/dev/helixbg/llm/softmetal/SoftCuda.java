package dev.helixbg.llm.softmetal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * A simulation of NVIDIA's driver, in the same library as the software Metal, with further
 * functions for tests.
 */
public final class SoftCuda {
  /** Values for {@link #pretend}. */
  public static final int SUCCESS = 0;

  public static final int NO_DEVICE = 100;
  public static final int CUDA_13 = 13_000;
  public static final int HOPPER = 90;

  private final SoftMetal metal;
  private final MethodHandle configure;
  private final MethodHandle fail;
  private final MethodHandle takeLaunches;
  private final MethodHandle live;

  public SoftCuda(SoftMetal metal) {
    this.metal = metal;
    SymbolLookup symbols = SymbolLookup.libraryLookup(metal.library(), Arena.global());
    Linker linker = Linker.nativeLinker();
    configure =
        linker.downcallHandle(
            symbols.findOrThrow("softcuda_configure"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    fail =
        linker.downcallHandle(
            symbols.findOrThrow("softcuda_fail"), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    takeLaunches =
        linker.downcallHandle(
            symbols.findOrThrow("softcuda_take_launches"), FunctionDescriptor.of(JAVA_LONG));
    live =
        linker.downcallHandle(
            symbols.findOrThrow("softcuda_live"), FunctionDescriptor.of(JAVA_LONG));
  }

  public String library() {
    return metal.library().toString();
  }

  /** Sets how kernels run, and resets the GPU to a usual one. */
  public void configure(SoftMetalSettings settings) {
    metal.configure(settings);
    metal.takeFindings();
    pretend(SUCCESS, CUDA_13, HOPPER, 0);
  }

  /** Sets how kernels run from now on. */
  public void settings(SoftMetalSettings settings) {
    metal.configure(settings);
  }

  /**
   * Simulates another machine.
   *
   * @param init result of {@code cuInit}
   * @param version version of CUDA, in the driver's numbering
   * @param capability ten times the compute capability
   * @param memory memory of the GPU, in bytes; 0 for much memory
   */
  public void pretend(int init, int version, int capability, long memory) {
    try {
      int ignored = (int) configure.invokeExact(init, version, capability, memory);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Makes a later call of the driver fail and do nothing. Only calls that need a context count.
   *
   * @param call number of the call that fails, counted from now on; 0 for no call
   * @return how many calls were left until the previously chosen call fails; 0 if it has failed
   */
  public long fail(long call) {
    try {
      return (long) fail.invokeExact(call);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns new launches since the last call: kernels in the lower 32 bits, graphs in the upper.
   */
  public long takeLaunches() {
    return ask(takeLaunches);
  }

  /** Returns how many buffers, events, modules, graphs, streams and contexts were never freed. */
  public long live() {
    return ask(live);
  }

  public List<String> takeFindings() {
    return metal.takeFindings();
  }

  private static long ask(MethodHandle question) {
    try {
      return (long) question.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
