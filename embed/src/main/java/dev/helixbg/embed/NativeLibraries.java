package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.config.natives.TokenizerLibrary;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Loads the native libraries of the tokenizer and of ONNX Runtime from the cache folder, with all
 * that could reach out turned off. Many commands need no more than the tokenizer's.
 */
final class NativeLibraries {

  /**
   * Version of ONNX Runtime, which tells it only once its library is loaded; a test compares them.
   */
  static final String VERSION = "1.28.0";

  private static final OrtLoggingLevel LEVEL = OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR;

  /** The cache folder of the first model; null: there was none. */
  private static Path natives;

  private static boolean loaded;

  private NativeLibraries() {}

  /** Opens a model. */
  interface Opening<M> {
    M open() throws IOException, OrtException;
  }

  /**
   * Loads the tokenizer's, and opens a model with it.
   *
   * @param model for people, such as {@code the pair judge}
   * @throws EmbeddingException when that fails
   */
  static <M> M open(String model, Path cacheFolder, Opening<M> opening) {
    load(cacheFolder);
    try {
      return opening.open();
    } catch (IOException e) {
      throw new EmbeddingException(
          "cannot prepare %s in %s: %s. Check its permissions and the free space, or name another folder with the setting cache"
              .formatted(model, cacheFolder, e),
          e);
    } catch (OrtException e) {
      throw new EmbeddingException("cannot load " + model + ": " + e.getMessage(), e);
    }
  }

  /**
   * Loads the tokenizer's library, once per process; later calls do nothing, with any folder.
   *
   * @throws EmbeddingException when this platform has none, or it cannot be unpacked
   */
  static synchronized void load(Path cacheFolder) {
    if (natives != null) {
      return;
    }
    try {
      TokenizerLibrary.load(cacheFolder);
      natives = cacheFolder;
    } catch (IOException e) {
      throw new EmbeddingException(e.getMessage(), e);
    }
  }

  /**
   * Loads ONNX Runtime's, once per process, beside the tokenizer's, which was loaded before.
   *
   * @throws EmbeddingException when this platform has none, or they cannot be unpacked
   * @throws CancellationException when the process is about to end
   */
  static synchronized void loadOnnxRuntime() {
    if (loaded) {
      return;
    }
    try (OnnxCall call = OnnxCall.begin()) {
      Path onnxRuntime =
          PackedLibraries.unpack(
              natives,
              "onnxruntime",
              "/ai/onnxruntime/native/" + platform(),
              List.of(
                  System.mapLibraryName("onnxruntime"),
                  System.mapLibraryName("onnxruntime4j_jni")));
      System.setProperty("onnxruntime.native.path", onnxRuntime.toString());
      keepEnvironment();
      OrtEnvironment environment = environment();
      environment.setTelemetry(false);
      loaded = true;
    } catch (IOException e) {
      throw new EmbeddingException(e.getMessage(), e);
    } catch (LinkageError | OrtException e) {
      throw new EmbeddingException(
          "cannot load ONNX Runtime from %s: %s. The folder must not be mounted noexec; on Linux it needs glibc 2.34 and libstdc++"
              .formatted(natives.resolve("natives"), e.getCause() == null ? e : e.getCause()),
          e);
    }
  }

  private static OrtEnvironment environment() {
    try {
      return OrtEnvironment.getEnvironment(LEVEL);
    } catch (IllegalStateException e) {
      if (e.getCause() != null) {
        throw new EmbeddingException("cannot start ONNX Runtime: " + e.getCause().getMessage(), e);
      } // else its shutdown hook comes too late
      throw (CancellationException) new CancellationException("helix-bg ends").initCause(e);
    }
  }

  /**
   * Makes the environment, which ONNX Runtime counts the references to, and keeps one for good: the
   * Java binding, which gets the same one afterwards, gives back its own in a shutdown hook, which
   * waits for no {@link OnnxCall}, and a model that is being opened then would read what was freed.
   *
   * <p>Nothing public of the binding takes a second reference. Its own call does, of the very
   * version that is bundled; the C API by FFM took a tenth of a second of each start.
   */
  private static void keepEnvironment() {
    try {
      Class.forName(OrtEnvironment.class.getName()); // which loads the library
      Field api = Class.forName("ai.onnxruntime.OnnxRuntime").getDeclaredField("ortApiHandle");
      Method create =
          OrtEnvironment.class.getDeclaredMethod(
              "createHandle", long.class, int.class, String.class);
      api.setAccessible(true);
      create.setAccessible(true);
      create.invoke(null, api.getLong(null), LEVEL.getValue(), "helix-bg");
    } catch (ReflectiveOperationException e) {
      throw new EmbeddingException("ONNX Runtime makes no environment: " + e, e);
    }
  }

  private static String platform() {
    return PackedLibraries.os() + "-" + (PackedLibraries.isArm() ? "aarch64" : "x64");
  }
}
