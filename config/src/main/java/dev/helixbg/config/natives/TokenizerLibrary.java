package dev.helixbg.config.natives;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Unpacks the native library of DJL's tokenizers from its jar into the cache folder and loads it.
 *
 * <p>DJL's own loader would request a cloud metadata address, look for CUDA, and download another
 * library if an environment variable asks for it. After {@link #load}, DJL's binding ({@code
 * ai.djl.huggingface.tokenizers.jni.TokenizersLibrary}) works without that loader. System
 * properties prevent such requests and downloads by other parts of DJL.
 */
public final class TokenizerLibrary {
  private static final String FILE = System.mapLibraryName("tokenizers");

  private static boolean loaded;

  private TokenizerLibrary() {}

  /**
   * Loads the library at the first call; a later call does nothing, even with another folder.
   *
   * @throws IOException if there is no library for this platform, or it cannot be unpacked or
   *     loaded; the message names a remedy
   */
  public static synchronized void load(Path cacheFolder) throws IOException {
    if (loaded) {
      return;
    }
    String natives = cacheFolder.resolve("natives").toAbsolutePath().toString();
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    System.setProperty("DJL_CACHE_DIR", natives);
    System.setProperty("ENGINE_CACHE_DIR", natives);
    String platform = PackedLibraries.os() + "-" + (PackedLibraries.isArm() ? "aarch64" : "x86_64");
    Path library =
        PackedLibraries.unpack(
                cacheFolder, "tokenizers", "/native/lib/" + platform + "/cpu", List.of(FILE))
            .resolve(FILE);
    System.setProperty("RUST_LIBRARY_PATH", library.toString());
    try {
      System.load(library.toString());
    } catch (UnsatisfiedLinkError e) {
      throw new IOException(
          "the tokenizer's library cannot be loaded from %s: %s. The folder's file system must not be mounted with the option noexec"
              .formatted(library, e.getMessage()),
          e);
    }
    loaded = true;
  }
}
