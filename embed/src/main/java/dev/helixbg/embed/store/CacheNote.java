package dev.helixbg.embed.store;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file in the cache folder with one computed value, which is valid while its circumstances stay
 * the same. If the folder cannot be trusted, no notes are read or written.
 *
 * @param kind kind of the note, and name of the folder of these notes
 * @param key text whose hash names the file
 * @param circumstances text that describes everything that the value depends on
 */
public record CacheNote(Path cacheFolder, String kind, String key, String circumstances) {

  /** Returns a large file's SHA-256, which a note stores until the file changes. */
  public static String hash(Path file, Path cacheFolder) throws IOException {
    Path path = file.toRealPath();
    FileState state = FileState.of(path);
    CacheNote note = new CacheNote(cacheFolder, "hashes", path.toString(), state.linesAt(path));
    Optional<String> remembered = note.read();
    if (remembered.isPresent()) {
      return remembered.get();
    }
    String hash = Sha256.of(file);
    if (state.isSettled()) {
      note.write(hash);
    }
    return hash;
  }

  /** Returns the value; empty if no value was stored under these circumstances. */
  public Optional<String> read() {
    try {
      String text = Files.readString(file());
      String end = "\n" + circumstances;
      return text.endsWith(end)
          ? Optional.of(text.substring(0, text.length() - end.length()))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  public void write(String value) {
    byte[] text = (value + "\n" + circumstances).getBytes(StandardCharsets.UTF_8);
    try {
      AtomicFile.replace(file(), out -> out.write(text));
    } catch (IOException e) {
      // The value is right even if it cannot be stored.
    }
  }

  private Path file() throws IOException {
    Path folder = cacheFolder.resolve(kind);
    PrivateFiles.makeTrustedFolder(cacheFolder, folder);
    return folder.resolve(Sha256.of(key).substring(0, 16));
  }
}
