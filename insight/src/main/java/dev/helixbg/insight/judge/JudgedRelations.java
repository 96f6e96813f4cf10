package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.FactOrder;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.pairs.PairAssessor;
import dev.helixbg.insight.pairs.PairDisagreement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The pairs that lead the report (are in its top section), and counts of the pairs in the list of
 * relations.
 *
 * @param ranked number of pairs in the list
 * @param read number of pairs that the pair judges have read
 * @param judgedCount number of pairs with a verdict of the language model
 */
public record JudgedRelations(
    int ranked, int read, int judgedCount, List<Finding.Relation> leading) {
  /** Maximum number of leading pairs. A user can review this number of pairs without a break. */
  private static final int LEADING = 20;

  /**
   * Maximum number of pairs without a verdict in the report's top section, if the pair judges have
   * read no pair.
   */
  private static final int UNREAD_LEADING = 10;

  /**
   * Minimum probability that one fact of a pair can be removed, for the pair to lead the report.
   * The value was chosen on public memory files of 30 repositories. In 22 other repositories, 45 of
   * 55 leading pairs are worth an act ({@code insight/src/judge/README.md}).
   */
  private static final double SURE_OF_FACTS = 0.7;

  /**
   * Minimum probability that one fact of a pair can be removed, if one fact is short. Of the pairs
   * at or above this value, nine of ten say the same.
   */
  private static final double SURE_OF_SHORT_FACTS = 0.9;

  /**
   * Minimum probability that one fact of a pair can be removed, if the facts contradict each other.
   * Of nine contradicting pairs with a lower probability, two have a fact that can be removed.
   */
  private static final double SURE_OF_CONTRADICTION = 0.6;

  private static final int GROUP = 3;

  /**
   * Chooses the pairs that lead the report (are in its top section). First come pairs that a
   * reliable agent calls <i>same</i> or <i>overtaken</i>. Then come pairs that the language model
   * calls <i>same</i> or <i>overtaken</i>, the surest first. Last come pairs without a verdict that
   * a pair judge has read and that may be worth an act. If the pair judges have read no pair, the
   * first pairs of the list take the place of these pairs.
   *
   * <p>A pair that a reliable agent calls <i>related</i> or <i>different</i> never leads. If no
   * reliable agent has answered about a pair, the model's verdict <i>related</i> or
   * <i>different</i> has the same effect. The verdicts of a model that guesses, or was not
   * measured, do not count. Pairs of a series (texts of the same form, such as monthly notes) lead
   * only because of an agent's verdict. Pairs of texts with distant vectors lead only because of a
   * verdict of an agent or the model. A pair of a note and a daily record also needs such a
   * verdict, except if both entries are facts. If several entries say the same, their pairs are
   * listed together. Pairs from the same two files are listed together, too.
   */
  public static JudgedRelations of(List<Finding.Relation> relations, Judgements judgements) {
    int read = (int) relations.stream().filter(pair -> pair.assessment().isPresent()).count();
    return new JudgedRelations(
        relations.size(),
        read,
        (int) relations.stream().filter(pair -> judgements.verdict(pair).isPresent()).count(),
        leading(relations, read > 0, judgements));
  }

  private static List<Finding.Relation> leading(
      List<Finding.Relation> relations, boolean wereRead, Judgements judgements) {
    AgentSayings agents = judgements.agents();
    List<Finding.Relation> best =
        new ArrayList<>(
            relations.stream().filter(pair -> agents.isWorthAnAct(pair).orElse(false)).toList());
    List<Finding.Relation> open =
        relations.stream().filter(pair -> agents.isWorthAnAct(pair).isEmpty()).toList();
    best.addAll(
        judgements.decide()
            ? ofModel(open, wereRead, judgements)
            : unasked(open, wereRead, UNREAD_LEADING));
    return grouped(best.stream().limit(LEADING).toList(), judgements);
  }

  private static List<Finding.Relation> ofModel(
      List<Finding.Relation> relations, boolean wereRead, Judgements judgements) {
    List<Finding.Relation> best = new ArrayList<>(relations);
    best.removeIf(
        pair ->
            judgements.verdict(pair).filter(said -> said.verdict().isAct()).isEmpty()
                || isOfSeries(pair));
    best.sort(
        Comparator.comparingDouble(pair -> -judgements.verdict(pair).orElseThrow().probability()));
    List<Finding.Relation> unjudged =
        relations.stream().filter(pair -> judgements.verdict(pair).isEmpty()).toList();
    best.addAll(unasked(unjudged, wereRead, Math.max(0, UNREAD_LEADING - best.size())));
    return best;
  }

  private static boolean isOfSeries(Finding.Relation pair) {
    return pair.assessment()
        .map(said -> said.tier() == Finding.Tier.SERIES)
        .orElseGet(() -> PairAssessor.apart(pair.a(), pair.b()).isPresent());
  }

  /**
   * Returns the pairs that may lead without a verdict. {@code unread} is their maximum number if
   * the pair judges have read no pair.
   */
  private static List<Finding.Relation> unasked(
      List<Finding.Relation> pairs, boolean wereRead, int unread) {
    return pairs.stream()
        .filter(pair -> !pair.isFar())
        .filter(
            pair ->
                pair.areFacts() || !NoteName.areRecordAndNote(pair.a().entry(), pair.b().entry()))
        .filter(
            pair ->
                wereRead
                    ? pair.assessment().filter(said -> mayLead(pair, said)).isPresent()
                    : PairAssessor.mayLead(pair.a(), pair.b()))
        .limit(wereRead ? LEADING : unread)
        .toList();
  }

  /**
   * Whether a pair may lead the report. Facts of memory files are hard to judge without their
   * context. For a pair of facts, the probability that one fact can be removed must therefore be
   * higher than for other entries. This minimum is lower for facts that contradict each other, and
   * highest if one of the facts is short. Facts that were written together lead only if one fact
   * repeats the other.
   */
  private static boolean mayLead(Finding.Relation pair, Assessment said) {
    if (!said.mayBeWorthAnAct() || !pair.areFacts() || said.repeats()) {
      return said.mayBeWorthAnAct();
    }
    Entry a = pair.a().entry();
    Entry b = pair.b().entry();
    boolean isSure =
        FactOrder.isOneShort(a, b)
            ? said.act() >= SURE_OF_SHORT_FACTS
            : said.act() >= (contradict(pair) ? SURE_OF_CONTRADICTION : SURE_OF_FACTS);
    return isSure && !FactOrder.areOfOnePiece(a, b);
  }

  /** Whether both entries are facts for agents, and one negates or forbids what the other says. */
  public static boolean contradict(Finding.Relation pair) {
    return pair.areFacts()
        && PairDisagreement.opposition(pair.a().content(), pair.b().content()).isPresent();
  }

  private static List<Finding.Relation> grouped(
      List<Finding.Relation> pairs, Judgements judgements) {
    List<List<NamedEntry>> groups = groups(pairs, judgements);
    Set<Finding.Relation> ordered = new LinkedHashSet<>();
    for (Finding.Relation pair : pairs) {
      ordered.add(pair);
      groups.stream()
          .filter(group -> isIn(group, pair))
          .forEach(
              group -> pairs.stream().filter(other -> isIn(group, other)).forEach(ordered::add));
      if (pair.files().isPresent()) {
        pairs.stream().filter(other -> other.files().equals(pair.files())).forEach(ordered::add);
      }
    }
    return List.copyOf(ordered);
  }

  private static boolean isIn(List<NamedEntry> group, Finding.Relation pair) {
    return group.contains(pair.a()) && group.contains(pair.b());
  }

  /** Returns groups of three or more entries that say the same, each ordered by offset. */
  public static List<List<NamedEntry>> groups(List<Finding.Relation> pairs, Judgements judgements) {
    return joined(pairs.stream().filter(pair -> saysTheSame(pair, judgements)).toList()).stream()
        .filter(group -> group.size() >= GROUP)
        .toList();
  }

  private static boolean saysTheSame(Finding.Relation pair, Judgements judgements) {
    return judgements
        .decided(pair)
        .map(said -> said == Verdict.SAME)
        .orElse(
            pair.assessment()
                .filter(Assessment::isActLikely)
                .filter(said -> said.same() > said.overtaken() && said.objection().isEmpty())
                .isPresent());
  }

  /**
   * Joins pairs that share entries into groups. The groups are in the order of their first pairs,
   * and each group is ordered by offset.
   */
  static List<List<NamedEntry>> joined(List<Finding.Relation> pairs) {
    Map<NamedEntry, List<NamedEntry>> groupOf = new LinkedHashMap<>();
    for (Finding.Relation pair : pairs) {
      List<NamedEntry> a = groupOf.computeIfAbsent(pair.a(), one -> new ArrayList<>(List.of(one)));
      List<NamedEntry> b = groupOf.computeIfAbsent(pair.b(), one -> new ArrayList<>(List.of(one)));
      if (a != b) {
        a.addAll(b);
        b.forEach(entry -> groupOf.put(entry, a));
      }
    }
    List<List<NamedEntry>> groups = groupOf.values().stream().distinct().toList();
    groups.forEach(group -> group.sort(Comparator.comparingLong(entry -> entry.entry().offset())));
    return groups;
  }
}
