package dev.helixbg.embed.store;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.files.Whole;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A new file that is written beside its target, synced to disk, and then renamed to replace the
 * target. A reader finds the whole old file or the whole new file, even after a crash.
 *
 * <p>Temporary names have 64 random bits, so that two writers never share a name. A killed process
 * leaves its temporary file. A {@link #write} of the same target deletes this file once it is a day
 * old.
 */
public final class AtomicFile implements AutoCloseable {

  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private static final Duration LEFTOVER_AGE = Duration.ofDays(1);
  private static final String SUFFIX = ".helix-bg.tmp";
  private static final int BUFFER_BYTES = 1 << 17;

  /**
   * Temporary files of this process, not yet renamed or deleted. Threads lock this set to access it
   * or {@link #processEnds}.
   */
  private static final Set<Path> UNFINISHED = new HashSet<>();

  private static boolean processEnds;
  private final Path temporary;
  private boolean renamed;

  private AtomicFile(Path temporary) {
    this.temporary = temporary;
  }

  /**
   * Deletes the temporary files of threads that are still writing, before the process ends. Their
   * renames then fail, and {@link #write} throws a {@link CancellationException}.
   */
  public static void endWithProcess() {
    synchronized (UNFINISHED) {
      processEnds = true;
      for (Path file : UNFINISHED) {
        try {
          Files.deleteIfExists(file);
        } catch (IOException e) {
          // A later write deletes the file, once it is a day old.
        }
      }
    }
  }

  /** Replaces {@code target} in one step; after a failure, the target is unchanged. */
  public static void replace(Path target, Content content) throws IOException {
    try (AtomicFile file = write(target, content)) {
      file.renameTo(target);
    }
    syncFolder(target.toAbsolutePath().getParent());
  }

  /** Replaces {@code target} unless it already has the same bytes. */
  public static void update(Path target, byte[] content) throws IOException {
    if (!holds(target, content)) {
      replace(target, out -> out.write(content));
    }
  }

  private static boolean holds(Path file, byte[] content) {
    try {
      return Files.isRegularFile(file)
          && Files.size(file) == content.length
          && Arrays.equals(Files.readAllBytes(file), content);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Writes and syncs a temporary file in the folder of {@code target}. The target is neither opened
   * nor changed. The file gets the target's mode, but without write permission for others. Without
   * a target, the mode is 0600.
   *
   * @throws CancellationException when the process is about to end
   */
  public static AtomicFile write(Path target, Content content) throws IOException {
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(
          target.toString(),
          null,
          "there is already a folder with the name " + target.getFileName());
    }
    Path folder = target.toAbsolutePath().getParent();
    String prefix = prefix(target);
    deleteLeftovers(folder, prefix, Instant.now().minus(LEFTOVER_AGE));
    String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
    AtomicFile file = new AtomicFile(folder.resolve(prefix + unique + SUFFIX));
    try {
      uninterrupted(() -> file.write(content, target));
      return file;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private AtomicFile write(Content content, Path target) throws IOException {
    try (FileChannel channel = open();
        OutputStream out =
            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES)) {
      content.writeTo(out);
      out.flush();
      keepMode(target);
      channel.force(true);
    }
    return this;
  }

  private FileChannel open() throws IOException {
    synchronized (UNFINISHED) {
      if (processEnds) {
        throw new CancellationException("helix-bg ends");
      }
      UNFINISHED.add(temporary);
      return PrivateFiles.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }
  }

  private void keepMode(Path target) throws IOException {
    if (Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
      Set<PosixFilePermission> mode =
          PrivateFiles.withoutOthersWriting(mode(target).readAttributes().permissions());
      if (!mode.equals(mode(temporary).readAttributes().permissions())) {
        try {
          mode(temporary).setPermissions(mode);
        } catch (IOException e) {
          // The file system has no modes; exFAT is an example.
        }
      }
    }
  }

  /**
   * Gives the written file the group, mode and extended attributes of a user's file.
   *
   * @throws IOException also when this user may not set the group or the mode
   */
  public void keepOwnerAndMode(Path target) throws IOException {
    PosixFileAttributes own = mode(target).readAttributes();
    PosixFileAttributeView made = mode(temporary);
    if (!made.readAttributes().group().equals(own.group())) {
      made.setGroup(own.group());
    }
    made.setPermissions(own.permissions());
    copyAttributes(target);
  }

  private void copyAttributes(Path target) throws IOException {
    UserDefinedFileAttributeView from =
        Files.getFileAttributeView(target, UserDefinedFileAttributeView.class);
    UserDefinedFileAttributeView to =
        Files.getFileAttributeView(temporary, UserDefinedFileAttributeView.class);
    if (from == null || to == null) {
      return;
    }
    List<String> names;
    try {
      names = from.list();
    } catch (IOException e) {
      return; // the file system has no extended attributes
    }
    for (String name : names) {
      ByteBuffer value = ByteBuffer.allocate(from.size(name));
      from.read(name, value);
      to.write(name, value.flip());
    }
  }

  private static PosixFileAttributeView mode(Path file) {
    return Files.getFileAttributeView(
        file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Renames the written file; the rename is durable only after {@link #syncFolder}. */
  public void renameTo(Path target) throws IOException {
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    renamed = true;
    finish();
  }

  /** Makes the renames in a folder durable against a power cut, if the file system can. */
  public static void syncFolder(Path folder) {
    try {
      uninterrupted(
          () -> {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
              channel.force(true);
            }
            return folder;
          });
    } catch (IOException e) {
      // The renames are done, but a power cut could bring the old files back.
    }
  }

  /**
   * Runs work on another thread. On this thread, an interrupt would close the channel that the work
   * uses.
   */
  private static void uninterrupted(Callable<?> work) throws IOException {
    try {
      Whole.of(work);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (!renamed) {
      Files.deleteIfExists(temporary);
      finish();
    }
  }

  private void finish() {
    synchronized (UNFINISHED) {
      UNFINISHED.remove(temporary);
    }
  }

  /**
   * Deletes the temporary files that this user's killed processes left in a folder. No other
   * process may be writing there.
   */
  public static void deleteLeftovers(Path folder) throws IOException {
    deleteLeftovers(folder, ".", Instant.MAX);
  }

  /** Deletes the temporary files that this user's killed processes left for one target. */
  public static void deleteLeftoversOf(Path target) throws IOException {
    deleteLeftovers(target.getParent(), prefix(target), Instant.MAX);
  }

  private static String prefix(Path target) {
    return "." + target.getFileName() + ".";
  }

  private static void deleteLeftovers(Path folder, String prefix, Instant limit)
      throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (name.startsWith(prefix) && name.endsWith(SUFFIX) && isOldFile(file, limit)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static boolean isOldFile(Path file, Instant limit) throws IOException {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile()
          && attributes.lastModifiedTime().toInstant().isBefore(limit)
          && (limit != Instant.MAX || PrivateFiles.isOwn(file)); // another user may still write it
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
