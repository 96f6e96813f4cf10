package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Connection to the systemd instance of this user. */
public final class UserSystemd {
  /** Environment variable that names the folder with the socket of the user's systemd. */
  private static final String RUNTIME_FOLDER = "XDG_RUNTIME_DIR";

  private UserSystemd() {}

  /**
   * Fails unless the user's systemd answers.
   *
   * @throws Failure with {@link ExitCode#WRITE}
   */
  public static void requireAnswer() throws InterruptedException {
    ServiceStep.Ended answer = ServiceStep.ended("systemctl", "--user", "show-environment");
    if (answer.code() != 0) {
      throw new Failure(
          ExitCode.WRITE,
          "nothing was changed, because the user's systemd does not answer: "
              + answer.output().replace('\n', ' '));
    }
  }

  /**
   * Adds to {@code environment} the folder with the socket of the user's systemd. A shell that
   * {@code su} or {@code cron} starts does not know this folder.
   *
   * @param folders folder with one runtime folder for each user, named by the user's id
   */
  static void addRuntimeFolder(Map<String, String> environment, Path folders) throws IOException {
    Path process = Path.of("/proc/self");
    if (environment.getOrDefault(RUNTIME_FOLDER, "").isEmpty() && Files.exists(process)) {
      Path folder = folders.resolve(Files.getAttribute(process, "unix:uid").toString());
      if (Files.isDirectory(folder)) {
        environment.put(RUNTIME_FOLDER, folder.toString());
      }
    }
  }
}
