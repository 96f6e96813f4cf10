package dev.helixbg.llm.gpu.metal;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;

/**
 * The native libraries in which the Objective-C runtime and Metal are found.
 *
 * @param paths are searched in this order
 */
public record MetalLibraries(List<Path> paths) {
  /**
   * System property with the path of one library that stands in for all of Apple's: the tests put
   * their software Metal there.
   */
  public static final String PROPERTY = "helixbg.metal.library";

  private static final String FRAMEWORKS = "/System/Library/Frameworks/%s.framework/%<s";

  /**
   * What macOS brings. CoreGraphics is not called, but without it a command-line program may find
   * no default device.
   */
  public static final MetalLibraries SYSTEM =
      new MetalLibraries(
          List.of(
              Path.of("/usr/lib/libobjc.A.dylib"),
              Path.of(FRAMEWORKS.formatted("Foundation")),
              Path.of(FRAMEWORKS.formatted("CoreGraphics")),
              Path.of(FRAMEWORKS.formatted("Metal"))));

  public MetalLibraries {
    paths = List.copyOf(paths);
  }

  /** The library that {@link #PROPERTY} names, else those of the system. */
  public static MetalLibraries configured() {
    String path = System.getProperty(PROPERTY, "");
    return path.isEmpty() ? SYSTEM : new MetalLibraries(List.of(Path.of(path)));
  }

  /**
   * The symbols of all of them; they stay loaded until the process ends.
   *
   * @throws GpuException if one cannot be loaded
   */
  SymbolLookup load() {
    SymbolLookup all = name -> java.util.Optional.empty();
    for (Path path : paths) {
      try {
        all = all.or(SymbolLookup.libraryLookup(path.toString(), Arena.global()));
      } catch (IllegalArgumentException e) {
        throw GpuException.absent(
            this.equals(SYSTEM)
                ? "there is no Metal on this machine: it needs macOS on a Mac (" + path + ")"
                : "the Metal library cannot be loaded: " + path,
            e);
      }
    }
    return all;
  }
}
