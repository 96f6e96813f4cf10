package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.config.natives.TokenizerLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads the native libraries of ONNX Runtime and of the tokenizer from the cache folder, with all
 * that could reach out turned off.
 */
final class NativeLibraries {

  private static boolean loaded;

  private NativeLibraries() {}

  /**
   * Loads both, once per process; later calls do nothing, whatever their folder.
   *
   * @throws EmbeddingException when this platform has no libraries or they cannot be unpacked
   */
  static synchronized void load(Path cacheFolder) {
    if (loaded) {
      return;
    }
    try {
      TokenizerLibrary.load(cacheFolder);
      Path onnxRuntime =
          PackedLibraries.unpack(
              cacheFolder,
              "onnxruntime",
              "/ai/onnxruntime/native/" + platform(),
              List.of(
                  System.mapLibraryName("onnxruntime"),
                  System.mapLibraryName("onnxruntime4j_jni")));
      System.setProperty("onnxruntime.native.path", onnxRuntime.toString());
      OrtEnvironment environment =
          OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
      environment.setTelemetry(false);
      loaded = true;
    } catch (IOException e) {
      throw new EmbeddingException(e.getMessage(), e);
    } catch (LinkageError | OrtException e) {
      throw new EmbeddingException(
          "cannot load ONNX Runtime from %s: %s. The folder must not be mounted noexec; on Linux it needs glibc 2.34 and libstdc++"
              .formatted(cacheFolder.resolve("natives"), e.getCause() == null ? e : e.getCause()),
          e);
    }
  }

  private static String platform() {
    return PackedLibraries.os() + "-" + (PackedLibraries.isArm() ? "aarch64" : "x64");
  }
}
