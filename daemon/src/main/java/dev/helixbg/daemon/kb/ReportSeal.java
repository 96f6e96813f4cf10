package dev.helixbg.daemon.kb;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;

/**
 * Tells what this user's helix-bg left in a KB's folder from what came with the folder: a hash over
 * a key that never leaves the cache folder. Without its key nothing is believed, and a new one is
 * made.
 *
 * @param cache helix-bg's own folder for what can be made again
 */
public record ReportSeal(Path cache) {
  private static final String NAME = "seal.key";
  private static final int KEY_BYTES = 32;

  /**
   * The seal on texts about a KB, 64 hexadecimal digits. It is for the very folder of the KB: what
   * is carried to another one has no seal there.
   *
   * @throws IOException when there is no such folder, or no key, and none can be made
   */
  public String on(Kb kb, List<String> parts) throws IOException {
    String folder = kb.folder().toRealPath().toString();
    return Sha256.of(List.of(key(), folder, Sha256.of(parts)));
  }

  private String key() throws IOException {
    Path file = cache.resolve(NAME);
    if (!Files.isRegularFile(file) || Files.size(file) != 2 * KEY_BYTES) {
      byte[] random = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(random);
      byte[] hex = HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
      PrivateFiles.makeFolders(cache);
      AtomicFile.replace(file, out -> out.write(hex));
    }
    return Files.readString(file, StandardCharsets.US_ASCII);
  }
}
