package dev.helixbg.daemon.cli.engine;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import java.util.EnumMap;
import java.util.Map;

/** A backend's counters for one answer: totals, and for each token. */
final class GenerateCounters {
  private GenerateCounters() {}

  /**
   * Counts for each token after the first.
   *
   * @param afterFirst what was counted when the first token was there
   * @param tokens after it; none gives no counts
   */
  static Map<Counter, Double> perToken(
      Map<Counter, Long> afterFirst, BackendCounters counters, int tokens) {
    Map<Counter, Double> each = new EnumMap<>(Counter.class);
    if (tokens > 0) {
      counters
          .snapshot()
          .forEach(
              (what, n) ->
                  each.put(what, (double) (n - afterFirst.getOrDefault(what, 0L)) / tokens));
      each.remove(Counter.MOST_IN_FLIGHT); // a maximum, no sum
    }
    return each;
  }

  static void print(Console console, BackendCounters counters, Map<Counter, Double> perToken) {
    counters
        .snapshot()
        .forEach(
            (what, n) -> {
              String each =
                  perToken.containsKey(what)
                      ? ", %,.1f per token after the first".formatted(perToken.get(what))
                      : "";
              console.note("%-17s %,d%s", Json.word(what), n, each);
            });
  }
}
