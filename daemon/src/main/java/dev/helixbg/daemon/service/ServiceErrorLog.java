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

/** The service's error file. It is emptied in place, because service managers keep it open. */
public final class ServiceErrorLog {
  static final int MOST = 1 << 20;
  private static final int LAST_BYTES = 16 << 10;

  private ServiceErrorLog() {}

  /** Empties the file if it is too long; ignores errors. */
  public static void shorten(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > MOST) {
        PrivateFiles.open(file, StandardOpenOption.WRITE).truncate(0).close();
      }
    } catch (IOException e) {
      // A longer file does no harm.
    }
  }

  /**
   * Returns the file's last line, without the JVM's warning about incubator modules; empty if there
   * is none.
   */
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
