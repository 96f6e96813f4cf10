package dev.helixbg.config.natives;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The native half of DJL's tokenizers, unpacked from its jar into the cache folder and loaded from
 * there.
 *
 * <p>DJL's own loader would ask a cloud metadata address, look for CUDA, and could be told by an
 * environment variable to download another library. After {@link #load}, DJL's bare binding ({@code
 * ai.djl.huggingface.tokenizers.jni.TokenizersLibrary}) works without any of it; the system
 * properties say the same to any other part of DJL that is used.
 */
public final class TokenizerLibrary {
  private static final String FILE = System.mapLibraryName("tokenizers");

  private static boolean loaded;

  private TokenizerLibrary() {}

  /**
   * Unpacks and loads the library, once per process; later calls do nothing, with any folder.
   *
   * @throws IOException if this platform has no library, or it cannot be unpacked or loaded; the
   *     message says what to do
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
          "the tokenizer's library cannot be loaded from %s: %s. The folder must be on a file system mounted without noexec"
              .formatted(library, e.getMessage()),
          e);
    }
    loaded = true;
  }
}
