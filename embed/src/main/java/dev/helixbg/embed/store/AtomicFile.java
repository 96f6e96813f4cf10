package dev.helixbg.embed.store;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file written beside its target, synced to disk, and then renamed over it: whoever reads the
 * target, or whatever crashes, meets the old file or the new one, whole.
 *
 * <p>Temporary names are unique, so that two writers never share one. What a killed process left
 * behind is deleted by a later {@link #write} of the same name, once it is a day old.
 */
public final class AtomicFile implements AutoCloseable {

  /** Writes the bytes of the new file. */
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private static final Duration LEFTOVER_AGE = Duration.ofDays(1);
  private static final String SUFFIX = ".helix-bg.tmp";
  private static final int BUFFER_BYTES = 1 << 17;

  private final Path temporary;
  private boolean renamed;

  private AtomicFile(Path temporary) {
    this.temporary = temporary;
  }

  /**
   * Replaces {@code target} in one step; its folder must exist.
   *
   * @throws IOException when the file cannot be written; the target is then what it was
   */
  public static void replace(Path target, Content content) throws IOException {
    try (AtomicFile file = write(target, content)) {
      file.renameTo(target);
    }
    syncFolder(target.toAbsolutePath().getParent());
  }

  /** Writes and syncs a temporary file in the folder of {@code target}, which stays untouched. */
  public static AtomicFile write(Path target, Content content) throws IOException {
    Path folder = target.toAbsolutePath().getParent();
    String prefix = "." + target.getFileName() + ".";
    deleteLeftovers(folder, prefix);
    AtomicFile file = new AtomicFile(createUnique(folder, prefix));
    try {
      // Not a channel: a thread interrupt would close it in the middle of the file.
      try (FileOutputStream out = new FileOutputStream(file.temporary.toFile());
          BufferedOutputStream buffered = new BufferedOutputStream(out, BUFFER_BYTES)) {
        content.writeTo(buffered);
        buffered.flush();
        out.getFD().sync();
      }
      return file;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Renames the written file over {@code target}. Durable only after {@link #syncFolder}. */
  public void renameTo(Path target) throws IOException {
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    renamed = true;
  }

  /** Makes the renames in a folder survive a power cut. */
  public static void syncFolder(Path folder) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Deletes the temporary file unless it was renamed. */
  @Override
  public void close() throws IOException {
    if (!renamed) {
      Files.deleteIfExists(temporary);
    }
  }

  private static Path createUnique(Path folder, String prefix) throws IOException {
    while (true) {
      String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
      try {
        return Files.createFile(folder.resolve(prefix + unique + SUFFIX));
      } catch (FileAlreadyExistsException e) {
        // Another writer drew the same number: draw again.
      }
    }
  }

  private static void deleteLeftovers(Path folder, String prefix) throws IOException {
    Instant limit = Instant.now().minus(LEFTOVER_AGE);
    DirectoryStream.Filter<Path> ours =
        path -> {
          String name = path.getFileName().toString();
          return name.startsWith(prefix) && name.endsWith(SUFFIX);
        };
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, ours)) {
      for (Path file : files) {
        if (isOldFile(file, limit)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isOldFile(Path file, Instant limit) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile()
          && attributes.lastModifiedTime().toInstant().isBefore(limit);
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
