package dev.helixbg.daemon.terminal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/** Result of a check by verify or doctor; {@code remedy} is empty if nothing must change. */
public record CheckLine(String name, State state, String detail, String remedy) {
  public enum State {
    OK,
    /** A working part that could be better; the remedy tells how. */
    NOTE,
    PROBLEM
  }

  public static CheckLine ok(String name, String detail) {
    return new CheckLine(name, State.OK, detail, "");
  }

  public static CheckLine note(String name, String detail, String remedy) {
    return new CheckLine(name, State.NOTE, detail, remedy);
  }

  public static CheckLine problem(String name, String detail, String remedy) {
    return new CheckLine(name, State.PROBLEM, detail, remedy);
  }

  public static ExitCode exitCode(List<CheckLine> checks) {
    boolean problems = checks.stream().anyMatch(check -> check.state() == State.PROBLEM);
    return problems ? ExitCode.PROBLEMS : ExitCode.OK;
  }

  public static void print(List<CheckLine> checks, Console console) {
    for (CheckLine check : checks) {
      console.say("%-8s %-16s %s", Json.word(check.state()), check.name(), check.detail());
      if (!check.remedy().isEmpty()) {
        console.say("%-8s %-16s -> %s", "", "", check.remedy());
      }
    }
  }

  public static ArrayNode toJson(List<CheckLine> checks) {
    return Json.array(checks, check -> Json.of(check).put("state", Json.word(check.state())));
  }
}
