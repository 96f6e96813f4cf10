package dev.helixbg.config.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * State of a file. As long as the state stays the same, the file was neither written nor replaced,
 * and need not be read again. Each write updates {@code changed}. A program can set {@code
 * modified} back, but not {@code changed}. The file system's clock is coarse: two changes shortly
 * after each other can have the same time. A state is therefore reliable only some seconds after
 * the last change (decision 53).
 *
 * @param changed time of the last change of content or attributes (ctime)
 * @param key the inode and its device
 */
public record FileState(long size, FileTime modified, FileTime changed, Object key) {
  public static final String ATTRIBUTES = "unix:size,lastModifiedTime,ctime,fileKey";

  /** Minimum age of a settled file's last change; longer than a step of the file system's clock. */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  /** Returns the state of a file or link target; throws NoSuchFileException if it is missing. */
  public static FileState of(Path file) throws IOException {
    return of(Files.readAttributes(file, ATTRIBUTES));
  }

  public static FileState of(Map<String, Object> attributes) {
    return new FileState(
        (Long) attributes.get("size"),
        (FileTime) attributes.get("lastModifiedTime"),
        (FileTime) attributes.get("ctime"),
        attributes.get("fileKey"));
  }

  // Written by hand, because a record's generated methods are slow at their first call.

  @Override
  public boolean equals(Object other) {
    return other instanceof FileState state
        && state.size == size
        && state.modified.equals(modified)
        && state.changed.equals(changed)
        && Objects.equals(state.key, key);
  }

  @Override
  public int hashCode() {
    return Objects.hash(size, modified, changed, key);
  }

  /**
   * Returns whether every later change of the file changes its state. If so, content that is read
   * now is the file's content as long as the state stays the same.
   */
  public boolean isSettled() {
    return lastChange().isBefore(Instant.now().minus(SETTLED));
  }

  /**
   * Returns the time of the last change, or {@link Instant#EPOCH} if that time is more than a
   * minute in the future. Such a time means that the clock was set back. The next change then gets
   * a different time, so the state is reliable.
   */
  public Instant lastChange() {
    Instant time = changed.toInstant();
    return time.isAfter(Instant.now().plusSeconds(60)) ? Instant.EPOCH : time;
  }

  /** Returns path and state as lines of text, which a later run compares with its own lines. */
  public String linesAt(Path path) {
    return String.join(
        "\n",
        path.toString(),
        Long.toString(size),
        Long.toString(modified.to(TimeUnit.NANOSECONDS)),
        Long.toString(changed.to(TimeUnit.NANOSECONDS)),
        String.valueOf(key));
  }
}
