package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

/**
 * The kernels in PTX, NVIDIA's portable assembly. {@code scripts/make-ptx} makes one resource per
 * library from the {@code .metal} files. The kernels are made for Ampere. On newer GPUs, two
 * comments in the text are replaced by instructions that let a kernel start before the preceding
 * kernel has ended.
 */
final class PtxLibrary {
  private static final String FOLDER = "/dev/helixbg/llm/gpu/cuda/";

  /** Comment in the PTX at the line where a kernel lets the next kernel start. */
  static final String START = "// next";

  /** Comment at the line where the kernel waits until all earlier kernels have ended. */
  static final String WAIT = "// wait";

  static final String VERSION = ".version 7.0";
  static final String TARGET = ".target sm_80";

  private PtxLibrary() {}

  /** Returns a kernel's name in its library, which differs from its name in the source. */
  static String entry(String kernel) {
    return "ptx_" + kernel;
  }

  static String resource(String library) {
    return FOLDER + library + ".ptx.gz";
  }

  static boolean has(String library) {
    return PtxLibrary.class.getResource(resource(library)) != null;
  }

  /**
   * Returns a library's PTX. If {@code overlapping}, a kernel may start before the preceding kernel
   * has ended.
   */
  static String read(String library, boolean overlapping) {
    try (InputStream in = PtxLibrary.class.getResourceAsStream(resource(library))) {
      if (in == null) {
        throw new GpuException(
            "helix-bg has no CUDA kernels for a model of this shape or with these weight types (%s)"
                .formatted(library));
      }
      String text = new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.ISO_8859_1);
      return overlapping
          ? text.replace(VERSION, ".version 7.8")
              .replace(TARGET, ".target sm_90")
              .replace(START, "griddepcontrol.launch_dependents;")
              .replace(WAIT, "griddepcontrol.wait;")
          : text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
