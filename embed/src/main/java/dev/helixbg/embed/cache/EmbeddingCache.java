package dev.helixbg.embed.cache;

import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.FileStamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The vectors of one knowledge base, kept beside its log in {@code embeddings.bin} and {@code
 * embeddings.keys}.
 *
 * <p>A save replaces two files, and a process may die between any two of its steps. So the new keys
 * are first renamed to {@code embeddings.keys.next}, then the vectors are renamed, then the keys
 * take their place; each key file names the exact vector file it belongs to, and reading accepts
 * whichever of the two fits the vectors it found. What a save that died before its last step left
 * behind, the next save puts in place first.
 */
public final class EmbeddingCache {

  public static final String VECTORS = "embeddings.bin";
  public static final String KEYS = "embeddings.keys";
  static final String NEXT_KEYS = "embeddings.keys.next";

  private static final long MAX_OFFSET = 0xFFFF_FFFFL;

  private final Path folder;
  private final Runnable betweenSteps;

  /** The cache of the knowledge base in {@code folder}. */
  public EmbeddingCache(Path folder) {
    this(folder, () -> {});
  }

  /**
   * @param betweenSteps is called wherever a save may be killed; a seam for tests
   */
  EmbeddingCache(Path folder, Runnable betweenSteps) {
    this.folder = folder;
    this.betweenSteps = betweenSteps;
  }

  /** Reads all of it, or says why nothing can be used. Never fails. */
  public CachedVectors read() {
    CachedVectors found = readOnce();
    // Another process may have saved between the reads of the two files: look again.
    return found.state() == CachedVectors.State.UNUSABLE ? readOnce() : found;
  }

  /**
   * Replaces the cache. When this fails or is killed at any moment, the next read finds the old
   * rows or the new ones.
   *
   * @param rows sorted by offset, each offset once
   * @throws IOException when the folder cannot be written
   * @throws IllegalArgumentException when rows are out of order, or a vector is not of unit length
   */
  public void save(List<CacheRow> rows) throws IOException {
    check(rows);
    Path vectors = folder.resolve(VECTORS);
    Path keys = folder.resolve(KEYS);
    Path nextKeys = folder.resolve(NEXT_KEYS);
    FileStamp[] stamp = new FileStamp[1];
    try (AtomicFile newVectors =
            AtomicFile.write(vectors, out -> stamp[0] = VectorFile.write(out, rows));
        AtomicFile newKeys = AtomicFile.write(keys, out -> KeyFile.write(out, stamp[0], rows))) {
      betweenSteps.run();
      finishKilledSave(vectors, nextKeys, keys);
      newKeys.renameTo(nextKeys);
      AtomicFile.syncFolder(folder);
      betweenSteps.run();
      newVectors.renameTo(vectors);
      AtomicFile.syncFolder(folder);
      betweenSteps.run();
      Files.move(nextKeys, keys, StandardCopyOption.ATOMIC_MOVE);
      AtomicFile.syncFolder(folder);
    } catch (IOException e) {
      throw new IOException(
          "cannot save embeddings in "
              + folder
              + ": "
              + e
              + ". Check its permissions and the free space",
          e);
    }
  }

  /** The keys that are overwritten next may be the only ones that fit the vectors. */
  private void finishKilledSave(Path vectors, Path nextKeys, Path keys) throws IOException {
    if (!Files.isRegularFile(nextKeys)) {
      return;
    }
    try {
      VectorFile.Content content = VectorFile.read(vectors);
      KeyFile.read(nextKeys, content.stamp(), content.vectors().size());
    } catch (IOException | CacheFault e) {
      return; // of vectors that did not come to be
    }
    Files.move(nextKeys, keys, StandardCopyOption.ATOMIC_MOVE);
    AtomicFile.syncFolder(folder);
    betweenSteps.run();
  }

  private CachedVectors readOnce() {
    VectorFile.Content content;
    try {
      content = VectorFile.read(folder.resolve(VECTORS));
    } catch (IOException e) {
      return Files.exists(folder.resolve(VECTORS))
          ? CachedVectors.unusable(VECTORS + " cannot be read: " + e.getMessage())
          : CachedVectors.missing();
    } catch (CacheFault e) {
      return CachedVectors.unusable(VECTORS + " is damaged: " + e.getMessage());
    }
    List<String> faults = new ArrayList<>();
    for (String name : List.of(KEYS, NEXT_KEYS)) {
      if (!Files.exists(folder.resolve(name))) {
        continue;
      }
      try {
        return CachedVectors.good(rows(content, name));
      } catch (IOException e) {
        faults.add(name + " cannot be read: " + e.getMessage());
      } catch (CacheFault e) {
        faults.add(name + " " + e.getMessage());
      }
    }
    return CachedVectors.unusable(
        faults.isEmpty() ? KEYS + " is missing" : String.join("; ", faults));
  }

  private List<CacheRow> rows(VectorFile.Content content, String keyFile)
      throws IOException, CacheFault {
    int count = content.vectors().size();
    List<TextKey> keys = KeyFile.read(folder.resolve(keyFile), content.stamp(), count);
    List<CacheRow> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(new CacheRow(content.offsets().get(i), keys.get(i), content.vectors().get(i)));
    }
    return rows;
  }

  private static void check(List<CacheRow> rows) {
    long before = -1;
    for (CacheRow row : rows) {
      if (row.offset() <= before || row.offset() > MAX_OFFSET) {
        throw new IllegalArgumentException(
            "offset " + row.offset() + " after " + before + ": must ascend and fit 32 bits");
      }
      if (row.vector().length != VectorFile.DIMENSION || !VectorFile.isUnit(row.vector())) {
        throw new IllegalArgumentException(
            "the vector of offset " + row.offset() + " is not 384 values of unit length");
      }
      before = row.offset();
    }
  }
}
