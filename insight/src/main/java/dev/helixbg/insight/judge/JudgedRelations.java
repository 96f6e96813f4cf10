package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The list of relations, told apart by what the judge says of them; each part in the order of the
 * list.
 *
 * @param judged by verdict; a verdict that no pair has is missing
 * @param unjudged those that were not asked about yet
 * @param leading what deserves an act most
 */
public record JudgedRelations(
    Map<Verdict, List<Finding.Relation>> judged,
    List<Finding.Relation> unjudged,
    List<Finding.Relation> leading) {
  /** As many as somebody reads at one sitting. */
  private static final int LEADING = 10;

  /**
   * Leading are the pairs of which the judge is surest that one entry can go or was overtaken; then
   * those that it was not asked about, best first. What it calls related or different never leads,
   * nor does what is far and was not judged: in a small KB something is first of any list. A judge
   * that guesses has no say in what leads.
   */
  public static JudgedRelations of(List<Finding.Relation> relations, Judgements judgements) {
    Map<Verdict, List<Finding.Relation>> judged = new EnumMap<>(Verdict.class);
    List<Finding.Relation> unjudged = new ArrayList<>();
    for (Finding.Relation relation : relations) {
      judgements
          .verdict(relation)
          .map(said -> judged.computeIfAbsent(said.verdict(), verdict -> new ArrayList<>()))
          .orElse(unjudged)
          .add(relation);
    }
    return new JudgedRelations(judged, unjudged, leading(relations, judged, unjudged, judgements));
  }

  private static List<Finding.Relation> leading(
      List<Finding.Relation> relations,
      Map<Verdict, List<Finding.Relation>> judged,
      List<Finding.Relation> unjudged,
      Judgements judgements) {
    if (judgements.areGuesses()) {
      return relations.stream().filter(pair -> !pair.isFar()).limit(LEADING).toList();
    }
    List<Finding.Relation> sure = new ArrayList<>(judged.getOrDefault(Verdict.SAME, List.of()));
    sure.addAll(judged.getOrDefault(Verdict.OVERTAKEN, List.of()));
    Set<Finding.Relation> acts = new HashSet<>(sure);
    List<Finding.Relation> best =
        new ArrayList<>(relations.stream().filter(acts::contains).toList());
    best.sort(
        Comparator.comparingDouble(
                (Finding.Relation pair) -> judgements.verdict(pair).orElseThrow().probability())
            .reversed());
    unjudged.stream().filter(pair -> !pair.isFar()).forEach(best::add);
    return best.stream().limit(LEADING).toList();
  }

  /** Pairs in the list. */
  public int ranked() {
    return judgedCount() + unjudged.size();
  }

  /** Those of them that have a verdict. */
  public int judgedCount() {
    return judged.values().stream().mapToInt(List::size).sum();
  }

  /** Of one verdict. */
  public List<Finding.Relation> of(Verdict verdict) {
    return judged.getOrDefault(verdict, List.of());
  }
}
