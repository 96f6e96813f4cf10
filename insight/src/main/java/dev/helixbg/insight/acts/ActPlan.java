package dev.helixbg.insight.acts;

import java.util.List;
import java.util.Optional;

/**
 * How one act is carried out through helix, in the very state of a knowledge base that it was
 * planned for: first every check, and when all answer as expected every call, in their order.
 *
 * @param checks that the state is still that one; they change nothing
 * @param calls none where it takes a hand
 * @param byHand why there are no calls
 * @param losses what is gone afterwards, in words, beside the texts of removed entries
 * @param undo calls that bring removed and rewritten texts back, as new entries at the end of their
 *     topics; none where the texts are too long for a call
 */
public record ActPlan(
    List<Check> checks,
    List<HelixCall> calls,
    Optional<String> byHand,
    List<String> losses,
    List<HelixCall> undo) {
  public ActPlan {
    checks = List.copyOf(checks);
    calls = List.copyOf(calls);
    losses = List.copyOf(losses);
    undo = List.copyOf(undo);
  }

  static ActPlan byHand(String why) {
    return new ActPlan(List.of(), List.of(), Optional.of(why), List.of(), List.of());
  }

  /**
   * Something to look at before the first call: {@code topics} with action {@code entries} lists
   * each entry that has the words in a line that begins with its place, {@code [3]}, and tells how
   * many entries the topic has.
   *
   * @param listed how many lines it must list; of none helix says that there is no such topic
   * @param at their places: an entry that somebody edited since has moved; empty where no words are
   *     looked for
   * @param entries how many the topic must have, where links count on it
   */
  public record Check(HelixCall call, int listed, List<Integer> at, Optional<Integer> entries) {}
}
