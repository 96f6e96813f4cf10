package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;

/**
 * The kernels in NVIDIA's portable assembly, one resource per library; {@code scripts/make-ptx}
 * makes them of the {@code .metal} files.
 *
 * <p>They are made for Ampere. Two comments in them become instructions on newer GPUs, by which a
 * kernel starts while the one before it ends.
 */
final class PtxLibrary {
  private static final String FOLDER = "/dev/helixbg/llm/gpu/cuda/";

  /** Where a kernel lets the next one start. */
  static final String START = "// next";

  /** Where a kernel waits until all before it have ended. */
  static final String WAIT = "// wait";

  static final String VERSION = ".version 7.0";
  static final String TARGET = ".target sm_80";

  private PtxLibrary() {}

  /** Returns a kernel's name in its library: a name of its own, beside what it is made of. */
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
   * A library's text.
   *
   * @param overlapping for GPUs on which a kernel may start early
   * @throws GpuException if there is no such library
   */
  static String read(String library, boolean overlapping) {
    try (InputStream in = PtxLibrary.class.getResourceAsStream(resource(library))) {
      if (in == null) {
        throw new GpuException(
            "there are no kernels for CUDA for a model of this shape or these types (%s)"
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
