package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Verdicts of the user's coding agents on pairs, and the reliability of each agent. An agent
 * "counts" if its verdicts may decide which pairs are in the top section of the report.
 *
 * @param pairs verdicts on each pair, by the id of the pair
 */
public record AgentSayings(List<Trust> clients, Map<String, Said> pairs) {
  public static final AgentSayings NONE = new AgentSayings(List.of(), Map.of());

  /**
   * The verdicts on one pair.
   *
   * @param verdict verdict of the agents that count, weighted by their reliability; empty if no
   *     agent counts, or if different verdicts have the same weight
   */
  public record Said(Optional<Verdict> verdict, List<Saying> all) {
    public boolean isDisputed() {
      return all.stream().filter(Saying::counts).map(Saying::verdict).distinct().count() > 1;
    }

    /** Returns the verdicts as text, such as {@code same, by claude-code 2.1}. */
    public String words() {
      String form = "%s, by %s%s";
      return all.stream()
          .map(
              one ->
                  form.formatted(
                      one.verdict().title(), one.client(), one.counts() ? "" : " (does not count)"))
          .collect(Collectors.joining("; ", isDisputed() ? "agents disagree: " : "", ""));
    }
  }

  public record Saying(String client, Verdict verdict, boolean counts) {}

  /**
   * The reliability of an agent, measured on pairs with a known answer.
   *
   * @param client name and version of the agent's program
   * @param answers number of the agent's answers to questions about entries
   * @param known result on pairs with a known answer; its {@code kappa} measures the agreement with
   *     the known answers
   * @param hasty number of answers that came faster than anyone can read
   */
  public record Trust(String client, int answers, JudgeTrust known, int hasty) {
    /** Minimum number of known pairs for a measurement. */
    public static final int LEAST_KNOWN = 8;

    public boolean isMeasured() {
      return known.pairs() >= LEAST_KNOWN;
    }

    /** Whether the agent answers without reading the texts, or is hardly better than chance. */
    public boolean isGuessing() {
      return isHasty() || isMeasured() && known.isGuessing();
    }

    private boolean isHasty() {
      return 2 * hasty > answers + known.pairs();
    }

    /**
     * Returns the share of right answers on known pairs, after one right and one wrong answer are
     * added.
     */
    public double share() {
      return (known.right() + 1.0) / (known.pairs() + 2.0);
    }

    /**
     * Whether the verdicts count. The agent must be measured, must not guess, and must be right at
     * least as often as {@code model}, if that language model is measured and does not guess.
     */
    public boolean counts(Optional<JudgeTrust> model) {
      return isMeasured()
          && !isGuessing()
          && model
              .filter(measured -> !measured.isGuessing())
              .map(measured -> known.right() * measured.pairs() >= measured.right() * known.pairs())
              .orElse(true);
    }

    public String words() {
      String answered = "%s has answered %d questions; ".formatted(client, answers);
      if (known.pairs() == 0) {
        return answered + "it is not measured yet, and decides nothing.";
      }
      return answered
          + "of %d pairs whose right verdict is known, it judged %s (Cohen’s kappa %s)."
              .formatted(known.pairs(), known.rightly(), JudgeTrust.hundredths(known.kappa()))
          + (isHasty()
              ? " It answers faster than it can read: it is guessing, and decides nothing."
              : isGuessing()
                  ? " It is guessing, and decides nothing."
                  : isMeasured() ? "" : " These pairs are too few: it decides nothing yet.");
    }
  }

  public Optional<Said> of(Finding.Relation pair) {
    return Optional.ofNullable(pairs.get(pair.id()));
  }

  /** Returns the verdict on a pair by the agents that count, see {@link Said#verdict}. */
  public Optional<Verdict> verdict(Finding.Relation pair) {
    return of(pair).flatMap(Said::verdict);
  }

  /**
   * Whether one entry of a pair can be removed according to {@link #verdict}; empty if there is no
   * verdict.
   */
  public Optional<Boolean> isWorthAnAct(Finding.Relation pair) {
    return verdict(pair).map(Verdict::isAct);
  }
}
