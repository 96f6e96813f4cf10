package dev.helixbg.insight.agents;

import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrial.Truth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Pairs whose true relation is known. They serve to measure the reliability of agents. They are
 * mixed into an agent's questions and look like the other pairs.
 */
public final class KnownPairs {
  /**
   * Number of known pairs among ten questions, until the client has answered {@link #ENOUGH} known
   * pairs. After that, one of ten questions is about a known pair.
   */
  private static final int FIRST_OF_TEN = 4;

  private static final int ENOUGH = 12;

  private static final Map<String, Known> ALL = all();

  private KnownPairs() {}

  /** {@code id} is the id of the question about the pair. */
  public record Known(String id, Truth truth, String older, String newer) {}

  private static Map<String, Known> all() {
    Map<String, Known> all = new LinkedHashMap<>();
    for (JudgeTrial.Pair pair : JudgeTrial.pairs()) {
      String older = pair.holds().older();
      String newer = pair.holds().newer();
      String id = AgentQuestion.ofPair(older, newer);
      all.put(id, new Known(id, pair.truth(), older, newer));
    }
    return all;
  }

  static Optional<Truth> truth(String question) {
    return Optional.ofNullable(ALL.get(question)).map(Known::truth);
  }

  /**
   * Returns pairs with known answers, to be mixed into the next questions. Where possible, a client
   * gets the same number of pairs of each relation.
   *
   * @param questions the total number of questions, with the known pairs
   * @param answered the ids of questions that the client has answered
   */
  public static List<Known> next(int questions, Set<String> answered) {
    Map<Truth, Integer> taken = new EnumMap<>(Truth.class);
    List<Known> open = new ArrayList<>();
    for (Known known : ALL.values()) {
      if (answered.contains(known.id())) {
        taken.merge(known.truth(), 1, Integer::sum);
      } else {
        open.add(known);
      }
    }
    int before = ALL.size() - open.size();
    int ofTen = before < ENOUGH ? FIRST_OF_TEN : 1;
    // The share holds for all questions of the client together. If the client asks for one question
    // at a time, only some of these questions are known pairs.
    int share =
        Math.ceilDiv(ofTen * (answered.size() + questions), 10)
            - Math.ceilDiv(ofTen * answered.size(), 10);
    int wanted = Math.min(share, open.size());
    open.sort(Comparator.comparing(Known::id)); // the file groups pairs by relation; ids mix them
    List<Known> next = new ArrayList<>();
    while (next.size() < wanted) {
      Known rarest =
          open.stream()
              .min(Comparator.comparingInt(known -> taken.getOrDefault(known.truth(), 0)))
              .orElseThrow();
      taken.merge(rarest.truth(), 1, Integer::sum);
      open.remove(rarest);
      next.add(rarest);
    }
    return next;
  }
}
