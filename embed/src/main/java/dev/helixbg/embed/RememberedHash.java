package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The SHA-256 of a large file, remembered in the cache folder for as long as the file's path, size,
 * modification time and identity stay what they were.
 */
public final class RememberedHash {

  /**
   * A file changed more recently might change again without its time moving, so its hash is not
   * remembered yet.
   */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  private static final int HEX_DIGITS = 64;

  private RememberedHash() {}

  /** In lower-case hexadecimal. */
  public static String of(Path file, Path cacheFolder) throws IOException {
    Path path = file.toRealPath();
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    String identity =
        String.join(
            "\n",
            path.toString(),
            Long.toString(attributes.size()),
            Long.toString(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS)),
            String.valueOf(attributes.fileKey()));
    Path note = cacheFolder.resolve("hashes").resolve(Sha256.of(path.toString()).substring(0, 16));
    String remembered = read(note, identity);
    if (remembered != null) {
      return remembered;
    }
    String hash = Sha256.of(path);
    if (attributes.lastModifiedTime().toInstant().isBefore(Instant.now().minus(SETTLED))) {
      remember(note, hash + "\n" + identity);
    }
    return hash;
  }

  private static void remember(Path note, String text) {
    try {
      Files.createDirectories(note.getParent());
      AtomicFile.replace(note, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      // The hash is right all the same; whoever needs the cache folder will say what is wrong.
    }
  }

  /** The hash that a note holds for this identity, or null. */
  private static String read(Path note, String identity) throws IOException {
    if (!Files.isRegularFile(note)) {
      return null;
    }
    String text = new String(Files.readAllBytes(note), StandardCharsets.UTF_8);
    boolean fits = text.length() > HEX_DIGITS && text.substring(HEX_DIGITS).equals("\n" + identity);
    return fits ? text.substring(0, HEX_DIGITS) : null;
  }
}
