package dev.helixbg.daemon.terminal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/**
 * One thing that verify or doctor looked at.
 *
 * @param remedy what to do about it; empty when nothing needs to be done
 */
public record CheckLine(String name, State state, String detail, String remedy) {

  public enum State {
    OK,
    /** It works, but could be better; the remedy says how. */
    NOTE,
    PROBLEM
  }

  /** A check that needs no remedy. */
  public static CheckLine ok(String name, String detail) {
    return new CheckLine(name, State.OK, detail, "");
  }

  /** It works, but could be better. */
  public static CheckLine note(String name, String detail, String remedy) {
    return new CheckLine(name, State.NOTE, detail, remedy);
  }

  /** Something is wrong. */
  public static CheckLine problem(String name, String detail, String remedy) {
    return new CheckLine(name, State.PROBLEM, detail, remedy);
  }

  /** {@link ExitCode#PROBLEMS} when any of them found one. */
  public static ExitCode exitCode(List<CheckLine> checks) {
    boolean problems = checks.stream().anyMatch(check -> check.state() == State.PROBLEM);
    return problems ? ExitCode.PROBLEMS : ExitCode.OK;
  }

  /** One line a check, and one for its remedy. */
  public static void print(List<CheckLine> checks, Console console) {
    for (CheckLine check : checks) {
      console.say("%-8s %-16s %s", Json.word(check.state()), check.name(), check.detail());
      if (!check.remedy().isEmpty()) {
        console.say("%-8s %-16s -> %s", "", "", check.remedy());
      }
    }
  }

  /** The same for programs. */
  public static ArrayNode toJson(List<CheckLine> checks) {
    return Json.array(checks, check -> Json.of(check).put("state", Json.word(check.state())));
  }
}
