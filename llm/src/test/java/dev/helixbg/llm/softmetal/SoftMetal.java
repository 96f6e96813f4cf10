package dev.helixbg.llm.softmetal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * The software Metal: a library with the entry points of libobjc and Metal, and what tests ask it
 * beside them.
 */
public final class SoftMetal {
  private static final int TEXT_BYTES = 1 << 20;
  private static SoftMetal loaded;

  private final Path library;
  private final MethodHandle configure;
  private final MethodHandle requirePools;
  private final MethodHandle takeFindings;
  private final MethodHandle liveObjects;
  private final MethodHandle compiledKernels;

  private SoftMetal(Path library) {
    this.library = library;
    SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
    FunctionDescriptor text = FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG);
    configure =
        bind(
            symbols,
            "softmetal_configure",
            FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    requirePools = bind(symbols, "softmetal_require_pools", FunctionDescriptor.ofVoid(JAVA_INT));
    takeFindings = bind(symbols, "softmetal_take_findings", text);
    liveObjects = bind(symbols, "softmetal_live_objects", text);
    compiledKernels = bind(symbols, "softmetal_compiled_kernels", FunctionDescriptor.of(JAVA_LONG));
    configure(SoftMetalSettings.STRICT);
  }

  private static MethodHandle bind(SymbolLookup symbols, String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
  }

  /**
   * Builds the library if its sources are newer, and loads it; once per process.
   *
   * @throws SoftMetalUnavailableException if a tool is missing or this is another platform
   */
  public static synchronized SoftMetal load() {
    if (loaded == null) {
      loaded = new SoftMetal(SoftMetalBuild.library());
    }
    return loaded;
  }

  /** The same for tests: what is missing skips the test, and under CI (CI=true) fails it. */
  public static SoftMetal loadOrSkip() {
    try {
      return load();
    } catch (SoftMetalUnavailableException e) {
      return skipOrFail(e.getMessage(), "true".equals(System.getenv("CI")));
    }
  }

  /**
   * The library for a process that a test starts, built and not loaded: beside ONNX Runtime there
   * may be no room for what its threads have of their own. What is missing skips the test, or fails
   * it, as above.
   */
  public static Path libraryOrSkip() {
    try {
      return SoftMetalBuild.library();
    } catch (SoftMetalUnavailableException e) {
      return skipOrFail(e.getMessage(), "true".equals(System.getenv("CI"))).library();
    }
  }

  static SoftMetal skipOrFail(String reason, boolean ci) {
    return ci
        ? Assertions.fail("under CI the software Metal must run: " + reason)
        : Assumptions.abort("skipped because " + reason);
  }

  /** What to give to the shim instead of libobjc and the frameworks. */
  public Path library() {
    return library;
  }

  /** Changes how kernels run from the next command buffer on; pipelines need not be made again. */
  public void configure(SoftMetalSettings to) {
    try {
      configure.invokeExact(
          to.order().ordinal(),
          to.seed(),
          to.checks().ordinal(),
          to.lazy() ? 1 : 0,
          to.maxThreads(),
          to.cores());
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Whether every call in which the real Metal may autorelease something of its own is a mistake
   * outside of a pool.
   */
  public void requirePools(boolean required) {
    try {
      requirePools.invokeExact(required ? 1 : 0);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * What was found wrong since the last call, oldest first. Empty after everything that the real
   * Metal accepts.
   */
  public List<String> takeFindings() {
    return lines(takeFindings);
  }

  /**
   * What was never released, as "count class 'label'". Empty once the device and all that it made
   * are released.
   */
  public List<String> liveObjects() {
    return lines(liveObjects);
  }

  /** How many kernels were compiled since the process began. */
  public long compiledKernels() {
    try {
      return (long) compiledKernels.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> lines(MethodHandle source) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(TEXT_BYTES);
      long bytes = (long) source.invokeExact(text, (long) TEXT_BYTES);
      return bytes == 0 ? List.of() : text.getString(0).lines().toList();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
