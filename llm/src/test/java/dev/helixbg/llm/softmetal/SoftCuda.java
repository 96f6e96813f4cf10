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
 * The stand-in for NVIDIA's driver, in the same library as the software Metal, and what tests ask
 * it beside.
 */
public final class SoftCuda {
  /** What a test may pretend. */
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

  /** How kernels run; the GPU becomes a usual one. */
  public void configure(SoftMetalSettings settings) {
    metal.configure(settings);
    metal.takeFindings();
    pretend(SUCCESS, CUDA_13, HOPPER, 0);
  }

  /** How kernels run from now on. */
  public void settings(SoftMetalSettings settings) {
    metal.configure(settings);
  }

  /**
   * Another machine.
   *
   * @param init what {@code cuInit} says
   * @param version of CUDA, as the driver counts
   * @param capability ten times the compute capability
   * @param memory bytes of the GPU; 0 for plenty
   */
  public void pretend(int init, int version, int capability, long memory) {
    try {
      int ignored = (int) configure.invokeExact(init, version, capability, memory);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Has one call fail that needs a context, as if it had not been made.
   *
   * @param call its number from now on; 0 for none
   * @return what is left of the number that was given before; 0 when that call has failed
   */
  public long fail(long call) {
    try {
      return (long) fail.invokeExact(call);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Launches of kernels since the last call in the lower half, of graphs in the upper. */
  public long takeLaunches() {
    return ask(takeLaunches);
  }

  /** Buffers, events, modules, graphs, streams and contexts that were never given back. */
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
