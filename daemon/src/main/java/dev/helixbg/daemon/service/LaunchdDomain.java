package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;

/** Where launchd keeps this user's services. */
public final class LaunchdDomain {
  private LaunchdDomain() {}

  /**
   * The domain that has the service, else the one that is there: {@code gui/UID} while the user is
   * logged in at the screen, else {@code user/UID}, as over SSH.
   *
   * @throws Failure with {@link ExitCode#WRITE} when there is neither
   */
  public static String find(long uid) throws InterruptedException {
    List<String> domains = List.of("gui/" + uid, "user/" + uid);
    for (String inDomain : List.of("/" + ServiceSpec.LABEL, "")) {
      for (String domain : domains) {
        if (isThere(domain + inDomain)) {
          return domain;
        }
      }
    }
    throw new Failure(
        ExitCode.WRITE,
        "launchd has neither %s nor %s: log in at the screen once, or start the daemon by hand"
            .formatted(domains.getFirst(), domains.getLast()));
  }

  private static boolean isThere(String target) throws InterruptedException {
    return StepRunner.run(List.of("launchctl", "print", target)).code() == 0;
  }
}
