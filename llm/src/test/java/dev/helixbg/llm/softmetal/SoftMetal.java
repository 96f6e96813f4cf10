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
 * The software Metal: a library with the functions of libobjc and Metal, and further functions for
 * tests.
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
            FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
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
   * Builds the library if its sources are newer, and loads it. Later calls do nothing.
   *
   * @throws SoftMetalUnavailableException if a tool is missing, or the platform is not supported
   */
  public static synchronized SoftMetal load() {
    if (loaded == null) {
      loaded = new SoftMetal(SoftMetalBuild.library());
    }
    return loaded;
  }

  /** Calls {@link #load}. If that is impossible, skips the test, or fails it under CI (CI=true). */
  public static SoftMetal loadOrSkip() {
    try {
      return load();
    } catch (SoftMetalUnavailableException e) {
      return skipOrFail(e);
    }
  }

  /**
   * Returns the library for a process that a test starts. The library is built, but not loaded: if
   * ONNX Runtime is loaded, the library's thread-local memory may not fit. If the library cannot be
   * built, skips the test, or fails it under CI.
   */
  public static Path libraryOrSkip() {
    try {
      return SoftMetalBuild.library();
    } catch (SoftMetalUnavailableException e) {
      return skipOrFail(e).library();
    }
  }

  private static SoftMetal skipOrFail(SoftMetalUnavailableException e) {
    return "true".equals(System.getenv("CI"))
        ? Assertions.fail("under CI the software Metal must run: " + e.getMessage())
        : Assumptions.abort("skipped because " + e.getMessage());
  }

  /** Returns the file that the Metal binding must load instead of libobjc and the frameworks. */
  public Path library() {
    return library;
  }

  /** Changes how kernels run from the next command buffer on. Existing pipelines stay valid. */
  public void configure(SoftMetalSettings to) {
    try {
      configure.invokeExact(
          to.order().ordinal(), to.seed(), to.checks() ? 1 : 0, to.lazy() ? 1 : 0);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Sets whether calls outside of an autorelease pool are findings if the real Metal may
   * autorelease objects in them.
   */
  public void requirePools(boolean required) {
    try {
      requirePools.invokeExact(required ? 1 : 0);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the findings (detected errors) since the last call, oldest first. Calls that the real
   * Metal accepts cause no findings.
   */
  public List<String> takeFindings() {
    return lines(takeFindings);
  }

  /**
   * Returns the objects that were never released, as "count class 'label'". The list is empty when
   * the device and all its objects are released.
   */
  public List<String> liveObjects() {
    return lines(liveObjects);
  }

  /** Returns how many kernels were compiled since the process began. */
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
