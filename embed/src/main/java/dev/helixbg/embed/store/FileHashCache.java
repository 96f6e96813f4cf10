package dev.helixbg.embed.store;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Keeps the SHA-256 of a large file in the cache folder until the file's state changes. */
public final class FileHashCache {

  private FileHashCache() {}

  public static String of(Path file, Path cacheFolder) throws IOException {
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
}
