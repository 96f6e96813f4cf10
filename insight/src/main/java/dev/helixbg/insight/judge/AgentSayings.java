package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Verdicts of the user's coding agents on pairs, and how far each agent can be trusted.
 *
 * @param clients by name
 * @param pairs by the id of a finding
 */
public record AgentSayings(List<Trust> clients, Map<String, Said> pairs) {
  /** No agent was asked. */
  public static final AgentSayings NONE = new AgentSayings(List.of(), Map.of());

  /**
   * The verdicts on one pair.
   *
   * @param verdict what counts; empty where no client counts, or clients that count as much
   *     disagree
   * @param all by each client
   */
  public record Said(Optional<Verdict> verdict, List<Saying> all) {
    /** Whether two clients that count say otherwise. */
    public boolean isDisputed() {
      return all.stream().filter(Saying::counts).map(Saying::verdict).distinct().count() > 1;
    }

    /** Says it in words, such as {@code same, by claude-code 2.1}. */
    public String words() {
      String words =
          String.join(
              "; ",
              all.stream()
                  .map(
                      one ->
                          one.verdict().title()
                              + ", by "
                              + one.client()
                              + (one.counts() ? "" : " (does not count)"))
                  .toList());
      return isDisputed() ? "agents disagree: " + words : words;
    }
  }

  /**
   * The verdict of one client.
   *
   * @param client name and version
   * @param counts whether it has a say in what leads
   */
  public record Saying(String client, Verdict verdict, boolean counts) {}

  /**
   * How far a client can be trusted, by what it said of pairs whose truth is known.
   *
   * @param client name and version
   * @param answers that it gave about entries
   * @param known what it said of pairs whose truth is known; kappa is its agreement with the truth
   * @param hasty answers that came faster than anything can read
   */
  public record Trust(String client, int answers, JudgeTrust known, int hasty) {
    /** Known pairs without which nothing can be said of a client. */
    public static final int LEAST_KNOWN = 8;

    /** Whether it has answered enough known pairs. */
    public boolean isMeasured() {
      return known.pairs() >= LEAST_KNOWN;
    }

    /** Whether its answers are worth little more than a coin, or were given without reading. */
    public boolean isGuessing() {
      return isHasty() || isMeasured() && known.isGuessing();
    }

    private boolean isHasty() {
      return 2 * hasty > answers + known.pairs();
    }

    /**
     * Share of known pairs judged rightly, with one right and one wrong answer added: few answers
     * say little.
     */
    public double share() {
      return (known.right() + 1.0) / (known.pairs() + 2.0);
    }

    /** Whether its verdicts count beside a language model that was measured so. */
    public boolean counts(Optional<JudgeTrust> model) {
      return isMeasured()
          && !isGuessing()
          && model
              .filter(measured -> !measured.isGuessing())
              .map(measured -> known.right() * measured.pairs() >= measured.right() * known.pairs())
              .orElse(true);
    }

    /** Says it in a sentence or two, for people. */
    public String words() {
      StringBuilder words =
          new StringBuilder("%s has answered %d questions".formatted(client, answers));
      if (known.pairs() == 0) {
        return words.append("; it is not measured yet, and decides nothing.").toString();
      }
      words.append(
          "; of %d pairs whose truth is known it judged %d rightly"
              .formatted(known.pairs(), known.right()));
      words.append(JudgeTrust.Tally.words(known.said()));
      words.append(" (Cohen’s kappa ").append(JudgeTrust.hundredths(known.kappa())).append(").");
      if (isHasty()) {
        words.append(" It answers faster than it can read: it is guessing, and decides nothing.");
      } else if (isGuessing()) {
        words.append(" It is guessing, and decides nothing.");
      } else if (!isMeasured()) {
        words.append(" That is too few to trust it: it decides nothing yet.");
      }
      return words.toString();
    }
  }

  /** The verdicts on a pair. */
  public Optional<Said> of(Finding.Relation pair) {
    return Optional.ofNullable(pairs.get(pair.id()));
  }

  /** The verdict that counts. */
  public Optional<Verdict> verdict(Finding.Relation pair) {
    return of(pair).flatMap(Said::verdict);
  }

  /** Whether an agent that counts calls a pair worth an act; empty where none has a say. */
  public Optional<Boolean> isWorthAnAct(Finding.Relation pair) {
    return verdict(pair).map(Verdict::isAct);
  }
}
