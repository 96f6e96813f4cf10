package dev.helixbg.daemon.terminal;

import java.util.Arrays;

/** Exit codes of the process, documented in {@code --help}. */
public enum ExitCode {
  OK(0, "all went well"),
  INTERNAL(1, "a fault in helix-bg itself"),
  USAGE(2, "wrong arguments or settings"),
  KB(3, "no knowledge base, or its data.log cannot be read"),
  BUSY(4, "another helix-bg is at work, on this knowledge base or as the daemon"),
  MODEL(5, "a model or native library cannot be used"),
  WRITE(6, "a file cannot be written"),
  PROBLEMS(7, "verify, doctor or --check found problems"),
  NO_DAEMON(8, "no daemon runs, or it does not answer"),
  STALE(
      9,
      "act --run: nothing was done, because another program has written to the log or file; run the"
          + " command again"),
  PARTLY(
      10,
      "act --run: stopped after a part of the edits; the output lists the edits made and how to"
          + " undo them"),
  UNDONE(
      11,
      "act --run: nothing was done: the edit can only be made by hand, or there is no helix program"
          + " that can make it"),
  INTERRUPTED(130, "interrupted by Ctrl-C (by SIGTERM: 143); finished work is kept");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  /** Returns the code with a number, or {@link #INTERNAL} for an unknown number. */
  public static ExitCode of(int number) {
    return Arrays.stream(values())
        .filter(code -> code.number == number)
        .findFirst()
        .orElse(INTERNAL);
  }

  public int number() {
    return number;
  }

  public String meaning() {
    return meaning;
  }
}
