package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.config.natives.TokenizerLibrary;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * Loads two native libraries: the tokenizer's and ONNX Runtime's. Many commands need only the
 * tokenizer's. ONNX Runtime's telemetry is switched off.
 */
final class NativeLibraries {

  /** Version of ONNX Runtime; a test compares it with the version that the library reports. */
  static final String VERSION = "1.28.0";

  private static final OrtLoggingLevel LEVEL = OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR;

  /** The cache folder that the tokenizer's library was loaded from; null until it is loaded. */
  private static Path natives;

  private static boolean loaded;

  private NativeLibraries() {}

  interface Opening<M> {
    M open() throws IOException, OrtException;
  }

  /** Loads the tokenizer's library and a model, whose name appears in error messages. */
  static <M> M open(String model, Path cacheFolder, Opening<M> opening) {
    load(cacheFolder);
    try {
      return opening.open();
    } catch (IOException e) {
      throw new EmbeddingException(
          ("cannot prepare %s in %s: %s. Check the folder's permissions and the free space, or"
                  + " choose another folder with the setting cache")
              .formatted(model, cacheFolder, PrivateFiles.reason(e)),
          e);
    } catch (OrtException e) {
      throw new EmbeddingException("cannot load " + model + ": " + e.getMessage(), e);
    }
  }

  /** Loads the tokenizer's library once per process, even if called with several folders. */
  static synchronized void load(Path cacheFolder) {
    try {
      TokenizerLibrary.load(cacheFolder);
      natives = natives == null ? cacheFolder : natives;
    } catch (IOException e) {
      throw new EmbeddingException(e.getMessage(), e);
    }
  }

  /** Loads ONNX Runtime once per process; {@link #load} must have been called before. */
  static synchronized void loadOnnxRuntime() {
    if (loaded) {
      return;
    }
    Path temp = Path.of(System.getProperty("java.io.tmpdir"));
    if (!Files.isWritable(temp)) {
      throw new EmbeddingException(
          "the temp folder %s cannot be written, but ONNX Runtime needs one: set HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER"
              .formatted(temp));
    }
    try (OnnxCall call = OnnxCall.begin()) {
      Path onnxRuntime =
          PackedLibraries.unpack(
              natives,
              "onnxruntime",
              "/ai/onnxruntime/native/"
                  + PackedLibraries.os()
                  + (PackedLibraries.isArm() ? "-aarch64" : "-x64"),
              List.of(
                  System.mapLibraryName("onnxruntime"),
                  System.mapLibraryName("onnxruntime4j_jni")));
      System.setProperty("onnxruntime.native.path", onnxRuntime.toString());
      keepEnvironment();
      environment().setTelemetry(false);
      loaded = true;
    } catch (IOException e) {
      throw new EmbeddingException(e.getMessage(), e);
    } catch (LinkageError | OrtException e) {
      throw new EmbeddingException(
          "cannot load ONNX Runtime from %s: %s. The folder's file system must not be mounted with the option noexec; on Linux, ONNX Runtime needs glibc 2.34 and libstdc++"
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
      } // an error without a cause means that the process is ending
      throw (CancellationException) new CancellationException("helix-bg ends").initCause(e);
    }
  }

  /**
   * Creates ONNX Runtime's environment, and takes a second reference to it, which is never
   * released. The Java binding releases the first reference in a shutdown hook, which does not wait
   * for any {@link OnnxCall}. A model that is being opened could then read freed memory. This
   * method uses reflection, because no public method takes a reference.
   */
  private static void keepEnvironment() {
    try {
      Class.forName(OrtEnvironment.class.getName()); // loads the library
      Field api = Class.forName("ai.onnxruntime.OnnxRuntime").getDeclaredField("ortApiHandle");
      Method create =
          OrtEnvironment.class.getDeclaredMethod(
              "createHandle", long.class, int.class, String.class);
      api.setAccessible(true);
      create.setAccessible(true);
      create.invoke(null, api.getLong(null), LEVEL.getValue(), "helix-bg");
    } catch (ReflectiveOperationException e) {
      throw new EmbeddingException("ONNX Runtime cannot create its environment: " + e, e);
    }
  }
}
