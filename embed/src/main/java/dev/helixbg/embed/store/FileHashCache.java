package dev.helixbg.embed.store;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Stores the SHA-256 of large files in the cache folder. A stored hash is valid until the state of
 * its file changes.
 */
public final class FileHashCache {

  private static final int HEX_DIGITS = 64;

  private FileHashCache() {}

  public static String of(Path file, Path cacheFolder) throws IOException {
    Path path = file.toRealPath();
    FileState state = FileState.of(path);
    String lines = state.linesAt(path);
    Path note = cacheFolder.resolve("hashes").resolve(Sha256.of(path.toString()).substring(0, 16));
    boolean isTrusted = isTrusted(cacheFolder, note.getParent());
    String remembered = isTrusted ? read(note, lines) : null;
    if (remembered != null) {
      return remembered;
    }
    String hash = Sha256.of(file);
    if (isTrusted && state.isSettled()) {
      remember(note, hash + "\n" + lines);
    }
    return hash;
  }

  private static boolean isTrusted(Path cacheFolder, Path folder) {
    try {
      PrivateFiles.makeTrustedFolder(cacheFolder, folder);
      return true;
    } catch (IOException e) {
      return false; // code that needs the folder reports the error
    }
  }

  private static void remember(Path note, String text) {
    try {
      AtomicFile.replace(note, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      // The hash is right even if it cannot be stored; code that needs the folder reports the
      // error.
    }
  }

  /** Returns the hash in a note if the note was made for this state of the file, else null. */
  private static String read(Path note, String state) throws IOException {
    if (!Files.isRegularFile(note)) {
      return null;
    }
    String text = new String(Files.readAllBytes(note), StandardCharsets.UTF_8);
    boolean fits = text.length() > HEX_DIGITS && text.substring(HEX_DIGITS).equals("\n" + state);
    return fits ? text.substring(0, HEX_DIGITS) : null;
  }
}
