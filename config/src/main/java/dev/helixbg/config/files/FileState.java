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
 * State of a file, which shows from outside whether it was written to or replaced. Each write
 * changes {@code changed}, which cannot be set back as {@code modified} can be. Both are as coarse
 * as the file system's clock, so a state tells of all bytes only once it rested for a while
 * (decision 53).
 *
 * @param changed when content or attributes last changed (ctime)
 * @param key the inode with its device
 */
public record FileState(long size, FileTime modified, FileTime changed, Object key) {
  /** Age of a change below which the file may change again without its times moving. */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  /**
   * @param file links are followed
   * @throws java.nio.file.NoSuchFileException when there is no such file
   */
  public static FileState of(Path file) throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(file, "unix:size,lastModifiedTime,ctime,fileKey");
    return new FileState(
        (Long) attributes.get("size"),
        (FileTime) attributes.get("lastModifiedTime"),
        (FileTime) attributes.get("ctime"),
        attributes.get("fileKey"));
  }

  // Written out: a young JVM takes long to make what a record has by itself.

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

  /** Whether what was read of the file now can be remembered as that of this state. */
  public boolean isSettled() {
    return changed.toInstant().isBefore(Instant.now().minus(SETTLED));
  }

  /**
   * For a note of what was read of the file, on lines of their own.
   *
   * @param path at which it is, without links
   */
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
