package dev.helixbg.insight.report;

import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.RankedPairs;
import dev.helixbg.insight.judge.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Relations, near-duplicates or cross-links.
 *
 * @param total how many there are, shown or not
 * @param intro what they are and what to do with them
 * @param different what the language model calls different; folded away where a format can fold
 * @param differentWords on that fold
 * @param cutWords says that only the best are listed; or nothing
 * @param none said instead of a list when there are none
 */
record PairSection(
    String anchor,
    String title,
    String total,
    String intro,
    Folded<PairView> pairs,
    List<PairView> different,
    String differentWords,
    Optional<String> cutWords,
    String none) {
  private static final int FIRST = 12;

  static PairSection of(
      String anchor,
      String title,
      String intro,
      String none,
      List<Finding.Pair> found,
      long total,
      long pairs,
      Judgements judgements,
      Acts acts) {
    RankedPairs ranked = RankedPairs.of(found, judgements.verdicts());
    boolean judged = found.stream().anyMatch(pair -> judgements.verdicts().containsKey(pair.id()));
    List<PairView> views = views(ranked.shown(), pairs, judgements, acts);
    List<PairView> different = views(ranked.different(), pairs, judgements, acts);
    return new PairSection(
        anchor,
        title,
        Wording.count(total),
        judged ? intro + " Ranked by similarity and the language model’s verdict together." : intro,
        Folded.of(
            views,
            FIRST,
            3,
            more ->
                Wording.count(more, "more pair", "more pairs")
                    + (judged ? ", ranked lower" : ", less similar")),
        different,
        differentWords(different),
        Wording.shownOf("best", found.size(), total, "."),
        none);
  }

  /** The list of relations: what leads in full, the rest folded, all the others in report.json. */
  static PairSection relations(Findings findings, Judgements judgements, Acts acts) {
    List<Finding.Relation> found = findings.relations();
    int shown = Math.min(found.size(), Findings.shownRelations(findings.entries().size()));
    Set<String> leading = new LinkedHashSet<>();
    JudgedRelations.of(found, judgements).leading().forEach(best -> leading.add(best.id()));
    Map<String, PairView> first = new HashMap<>();
    List<PairView> rest = new ArrayList<>();
    List<PairView> different = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Finding.Relation relation = found.get(i);
      if (i >= shown && !leading.contains(relation.id())) {
        continue;
      }
      PairView view = PairView.of(relation, i + 1, judgements, acts);
      if (leading.contains(relation.id())) {
        first.put(relation.id(), view);
      } else if (view.verdictKind().equals(Optional.of(Verdict.DIFFERENT.title()))) {
        different.add(view);
      } else {
        rest.add(view);
      }
    }
    int more = found.size() - first.size() - rest.size() - different.size();
    return new PairSection(
        "relations",
        "Most worth doing",
        first.size() == found.size()
            ? Wording.count(found.size())
            : Wording.count(first.size()) + " of " + Wording.count(found.size()) + " candidates",
        "Pairs of entries, of one topic or of two, that are closer to each other than either is to"
            + " what is around it. Some say the same twice, in some the newer entry has overtaken"
            + " the older one, some only belong together, and many are not worth an act; the first"
            + " are the likeliest."
            + " Words that only one of the two says are marked."
            + " Pairs that an entry links already are left out."
            + (leading.isEmpty() ? " None is near enough to lead." : ""),
        new Folded<>(
            leading.stream().map(first::get).toList(),
            rest,
            Wording.count(rest.size(), "more candidate", "more candidates")
                + ", in the order of the list"),
        different,
        differentWords(different),
        Optional.of(more)
            .filter(left -> left > 0)
            .map(left -> "report.json has " + Wording.count(left) + " more, ranked lower."),
        "There are no two entries to compare.");
  }

  private static String differentWords(List<PairView> different) {
    return Wording.count(different.size(), "pair", "pairs")
        + " that the language model calls different";
  }

  private static List<PairView> views(
      List<Finding.Pair> pairs, long all, Judgements judgements, Acts acts) {
    return pairs.stream().map(pair -> PairView.of(pair, all, judgements, acts)).toList();
  }

  boolean isEmpty() {
    return pairs.isEmpty() && different.isEmpty();
  }
}
