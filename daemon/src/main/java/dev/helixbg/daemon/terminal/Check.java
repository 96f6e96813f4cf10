package dev.helixbg.daemon.terminal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/**
 * One thing that verify or doctor looked at.
 *
 * @param remedy what to do about it; empty when nothing needs to be done
 */
public record Check(String name, State state, String detail, String remedy) {

  public enum State {
    OK,
    /** Fine, but not as it could be; the remedy says more. */
    NOTE,
    PROBLEM
  }

  /** Nothing to be done. */
  public static Check ok(String name, String detail) {
    return new Check(name, State.OK, detail, "");
  }

  /** Fine, but not as it could be. */
  public static Check note(String name, String detail, String remedy) {
    return new Check(name, State.NOTE, detail, remedy);
  }

  /** Something is wrong. */
  public static Check problem(String name, String detail, String remedy) {
    return new Check(name, State.PROBLEM, detail, remedy);
  }

  /** {@link ExitCode#PROBLEMS} when any of them found one. */
  public static ExitCode exitCode(List<Check> checks) {
    boolean problems = checks.stream().anyMatch(check -> check.state() == State.PROBLEM);
    return problems ? ExitCode.PROBLEMS : ExitCode.OK;
  }

  /** One line a check, and one for its remedy. */
  public static void print(List<Check> checks, Console console) {
    for (Check check : checks) {
      console.say("%-8s %-16s %s", Json.word(check.state()), check.name(), check.detail());
      if (!check.remedy().isEmpty()) {
        console.say("%-8s %-16s -> %s", "", "", check.remedy());
      }
    }
  }

  /** The same for programs. */
  public static ArrayNode toJson(List<Check> checks) {
    return Json.array(checks, check -> Json.of(check).put("state", Json.word(check.state())));
  }
}
