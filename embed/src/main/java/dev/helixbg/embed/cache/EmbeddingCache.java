package dev.helixbg.embed.cache;

import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.CacheContents.Journal;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The vectors of one knowledge base, kept beside its log in {@code embeddings.bin} and {@code
 * embeddings.keys}, and those that are new in {@code embeddings.journal}; those of its entries'
 * passages in the same way in {@code passages.bin} and its fellows.
 *
 * <p>To publish replaces two files, and a process may die between any two of its steps. So the new
 * keys are first renamed to {@code embeddings.keys.next}, then the vectors are renamed, then the
 * keys take their place; each key file names the exact vector file it belongs to, and reading
 * accepts whichever of the two fits the vectors it found. What a process that died before the last
 * step left behind, the next one puts in place first. The journal goes when all else is done.
 *
 * <p>One process writes at a time; any may read meanwhile.
 */
public final class EmbeddingCache {

  public static final String VECTORS = "embeddings.bin";
  public static final String KEYS = "embeddings.keys";
  public static final String JOURNAL = "embeddings.journal";
  private static final String PASSAGES = "passages";

  private static final long MAX_OFFSET = 0xFFFF_FFFFL;

  private final Path folder;
  private final String stem;
  private final Runnable betweenSteps;

  /** The cache of the entries of the knowledge base in {@code folder}. */
  public EmbeddingCache(Path folder) {
    this(folder, () -> {});
  }

  /**
   * @param betweenSteps is called wherever this process may be killed, or another one write; a seam
   *     for tests
   */
  EmbeddingCache(Path folder, Runnable betweenSteps) {
    this(folder, "embeddings", betweenSteps);
  }

  private EmbeddingCache(Path folder, String stem, Runnable betweenSteps) {
    this.folder = folder;
    this.stem = stem;
    this.betweenSteps = betweenSteps;
  }

  /** The cache of the passages of the same knowledge base. */
  public EmbeddingCache ofPassages() {
    return new EmbeddingCache(folder, PASSAGES, betweenSteps);
  }

  /** The file of the published vectors. */
  public Path vectors() {
    return file(".bin");
  }

  /** The file that says what texts they are of. */
  public Path keys() {
    return file(".keys");
  }

  /** The file of those that are new. */
  public Path journal() {
    return file(".journal");
  }

  private Path nextKeys() {
    return file(".keys.next");
  }

  private Path file(String ending) {
    return folder.resolve(stem + ending);
  }

  /** Reads all of it, or says why nothing can be used. Never fails. */
  public CacheContents read() {
    // First, because what leaves the journal is in the vectors before it does.
    Journal journal = JournalFile.read(journal());
    betweenSteps.run();
    CacheContents found = readVectors(journal);
    // Another process may have published between the reads of the two files: look again.
    return found.state() == CacheContents.State.UNUSABLE ? readVectors(journal) : found;
  }

  /**
   * Whether vectors may be added to the journal that was read. One that is open to others is
   * somebody else's work, but on a file system without modes all files are open.
   */
  public boolean takesMore(Journal journal) {
    return switch (journal.state()) {
      case NONE, WHOLE -> true;
      case TORN, DAMAGED -> false;
      case OPEN -> !AtomicFile.keepsModes(folder);
    };
  }

  /**
   * Adds vectors to the journal. When this fails or is killed at any moment, the next read finds
   * what it found before, and some of the new ones.
   *
   * @param vectors of unit length; with none of them, the journal still says that there is
   *     something to publish
   * @throws IOException when the journal cannot be written; a link is not followed
   */
  public void append(Map<TextKey, float[]> vectors) throws IOException {
    vectors.forEach(EmbeddingCache::check);
    try {
      if (JournalFile.append(journal(), vectors)) {
        AtomicFile.syncFolder(folder);
      }
    } catch (IOException e) {
      throw cannotSave(journal(), e);
    }
  }

  /**
   * Replaces {@code embeddings.bin} and ends the journal. When this fails or is killed at any
   * moment, the next read finds the old rows and the journal, or the new rows.
   *
   * @param rows sorted by offset, each offset once
   * @throws IOException when the folder cannot be written
   * @throws IllegalArgumentException when rows are out of order, or a vector is not of unit length
   */
  public void publish(List<CacheRow> rows) throws IOException {
    check(rows);
    Path vectors = vectors();
    Path keys = keys();
    Path nextKeys = nextKeys();
    VectorFile.Stamp[] stamp = new VectorFile.Stamp[1];
    try (AtomicFile newVectors =
            AtomicFile.write(vectors, out -> stamp[0] = VectorFile.write(out, rows));
        AtomicFile newKeys = AtomicFile.write(keys, out -> KeyFile.write(out, stamp[0], rows))) {
      betweenSteps.run();
      finishKilled(vectors, nextKeys, keys);
      newKeys.renameTo(nextKeys);
      AtomicFile.syncFolder(folder);
      betweenSteps.run();
      newVectors.renameTo(vectors);
      AtomicFile.syncFolder(folder);
      betweenSteps.run();
      Files.move(nextKeys, keys, StandardCopyOption.ATOMIC_MOVE);
      AtomicFile.syncFolder(folder);
      betweenSteps.run();
    } catch (IOException e) {
      throw cannotSave(vectors(), e);
    }
    endJournal();
  }

  /** Deletes the journal: everything in it is published, or of no use. */
  public void endJournal() throws IOException {
    try {
      Files.deleteIfExists(journal());
    } catch (IOException e) {
      throw cannotSave(journal(), e);
    }
  }

  private static IOException cannotSave(Path file, IOException e) {
    return new IOException(
        "cannot save " + file + ": " + e + ". Check its permissions and the free space", e);
  }

  /** The keys that are overwritten next may be the only ones that fit the vectors. */
  private void finishKilled(Path vectors, Path nextKeys, Path keys) throws IOException {
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

  private CacheContents readVectors(Journal journal) {
    if (!Files.exists(vectors())) {
      return CacheContents.of(
          CacheContents.State.MISSING, "there is no cache yet", List.of(), journal);
    }
    List<String> faults = new ArrayList<>();
    try {
      VectorFile.Content content = VectorFile.read(vectors());
      for (Path file : List.of(keys(), nextKeys())) {
        if (!Files.exists(file)) {
          continue;
        }
        try {
          return CacheContents.of(CacheContents.State.GOOD, "", rows(content, file), journal);
        } catch (IOException e) {
          faults.add(file.getFileName() + " cannot be read: " + e.getMessage());
        } catch (CacheFault e) {
          faults.add(file.getFileName() + " " + e.getMessage());
        }
      }
      if (faults.isEmpty()) {
        faults.add(keys().getFileName() + " is missing");
      }
    } catch (IOException e) {
      faults.add(vectors().getFileName() + " cannot be read: " + e.getMessage());
    } catch (CacheFault e) {
      faults.add(vectors().getFileName() + " is damaged: " + e.getMessage());
    }
    return CacheContents.of(
        CacheContents.State.UNUSABLE, String.join("; ", faults), List.of(), journal);
  }

  private static List<CacheRow> rows(VectorFile.Content content, Path keyFile)
      throws IOException, CacheFault {
    int count = content.vectors().size();
    List<TextKey> keys = KeyFile.read(keyFile, content.stamp(), count);
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
      check(row.key(), row.vector());
      before = row.offset();
    }
  }

  private static void check(TextKey key, float[] vector) {
    if (vector.length != VectorFile.DIMENSION || !VectorFile.isUnit(vector)) {
      throw new IllegalArgumentException(
          "the vector of " + key.hex() + " is not 384 values of unit length");
    }
  }
}
