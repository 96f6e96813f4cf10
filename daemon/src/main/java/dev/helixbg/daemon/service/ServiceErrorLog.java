package dev.helixbg.daemon.service;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that gets what the service says on stderr. launchd and systemd append to it for ever and
 * keep it open, so that it cannot be renamed: it is shortened where it is.
 */
public final class ServiceErrorLog {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceErrorLog.class);
  static final int MOST = 1 << 20;
  static final int KEPT = 64 << 10;
  private static final int LAST_BYTES = 16 << 10;

  private ServiceErrorLog() {}

  /**
   * Leaves the last lines of a file that has become too long. What is said in between may be lost,
   * and a file that cannot be written stays as it is: neither is a reason not to work.
   */
  public static void shorten(Path file) {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) <= MOST) {
        return;
      }
      byte[] last = end(file, KEPT);
      int from = 0; // the first whole line
      while (from < last.length && last[from++] != '\n') {
        // what is before it is the rest of another
      }
      // Appended, as the service manager does: what came in since is not written over.
      try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.APPEND)) {
        channel.truncate(0);
        Channels.newOutputStream(channel).write(last, from, last.length - from);
      }
    } catch (IOException e) {
      LOG.debug("{} is not shortened: {}", file, e.toString());
    }
  }

  /** The last line that is not the JVM's about its incubator. */
  static Optional<String> lastLine(Path file) {
    try {
      return new String(end(file, LAST_BYTES), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("WARNING: Using incubator"))
          .reduce((before, line) -> line);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** At most so many bytes of a file's end. */
  private static byte[] end(Path file, int most) throws IOException {
    PrivateFiles.requireFile(file);
    try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
      channel.position(Math.max(0, channel.size() - most));
      return Channels.newInputStream(channel).readNBytes(most);
    }
  }
}
