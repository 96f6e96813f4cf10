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
 * keep it open, so that it cannot be renamed: it is emptied where it is.
 */
public final class ServiceErrorLog {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceErrorLog.class);
  static final int MOST = 1 << 20;
  private static final int LAST_BYTES = 16 << 10;

  private ServiceErrorLog() {}

  /** Empties a file that has become too long. One that cannot be written stays as it is. */
  public static void shorten(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > MOST) {
        PrivateFiles.open(file, StandardOpenOption.WRITE).truncate(0).close();
      }
    } catch (IOException e) {
      LOG.debug("{} is not shortened: {}", file, e.toString());
    }
  }

  /** The last line that is not the JVM's about its incubator. */
  static Optional<String> lastLine(Path file) {
    try {
      PrivateFiles.requireFile(file);
      try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ)) {
        channel.position(Math.max(0, channel.size() - LAST_BYTES));
        byte[] last = Channels.newInputStream(channel).readNBytes(LAST_BYTES);
        return new String(last, StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith("WARNING: Using incubator"))
            .reduce((before, line) -> line);
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
