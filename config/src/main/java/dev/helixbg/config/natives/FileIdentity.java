package dev.helixbg.config.natives;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * What tells from outside that a file is the one that was read before: its path, size, times and
 * inode. Whoever writes to it changes ctime, which nobody can set back (decision 53).
 *
 * @param text on lines of their own
 * @param changed when it last was
 */
public record FileIdentity(String text, Instant changed) {
  /** What changed more recently may change again without its times moving. */
  private static final Duration SETTLED = Duration.ofSeconds(3);

  /**
   * @param file links are followed
   */
  public static FileIdentity of(Path file) throws IOException {
    Path path = file.toRealPath();
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    FileTime changed = changed(path, attributes);
    return new FileIdentity(
        String.join(
            "\n",
            path.toString(),
            Long.toString(attributes.size()),
            Long.toString(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS)),
            Long.toString(changed.to(TimeUnit.NANOSECONDS)),
            String.valueOf(attributes.fileKey())),
        changed.toInstant());
  }

  private static FileTime changed(Path path, BasicFileAttributes attributes) throws IOException {
    try {
      return (FileTime) Files.getAttribute(path, "unix:ctime");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return attributes.lastModifiedTime();
    }
  }

  /** Whether what was read of it now can be remembered under this identity. */
  public boolean isSettled() {
    return changed.isBefore(Instant.now().minus(SETTLED));
  }
}
