package dev.helixbg.daemon.tidy;

import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.StandInHelix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;

/** A stand-in for helix that writes to a log file; several may use the same file. */
public class FileHelix implements Helix {
  private final Path log;

  public FileHelix(Path log) {
    this.log = log;
  }

  public String call(String tool, String... namesAndValues) {
    return call(tool, HelixTools.arguments(namesAndValues));
  }

  /** Does not wait for other stand-ins in this process, which take turns themselves. */
  @Override
  public String call(String tool, Map<String, String> arguments) {
    Path lock = log.resolveSibling("stand-in.lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      StandInHelix helix = new StandInHelix();
      byte[] before = Files.exists(log) ? Files.readAllBytes(log) : helix.log();
      helix.damage(Arrays.copyOfRange(before, helix.log().length, before.length));
      String answer = helix.call(tool, arguments);
      byte[] after = helix.log();
      if (after.length > before.length) {
        Files.write(
            log,
            Arrays.copyOfRange(after, Files.exists(log) ? before.length : 0, after.length),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
      return answer;
    } catch (HelixTools.Refusal e) {
      throw new Refusal(e.getMessage(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {}
}
