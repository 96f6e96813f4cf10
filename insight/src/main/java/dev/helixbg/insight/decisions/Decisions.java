package dev.helixbg.insight.decisions;

import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The decisions in force: the last decision on each finding. A decision settles its finding, so
 * that reports no longer show the finding. A decision that withdraws an earlier decision settles
 * nothing.
 */
public final class Decisions {
  public static final Decisions NONE = new Decisions(List.of());

  /** The last decision on each finding, even if it withdraws an earlier decision. */
  private final SequencedMap<String, Decision> last = new LinkedHashMap<>();

  Decisions(List<Decision> inOrder) {
    for (Decision decision : inOrder) {
      last.putLast(decision.id(), decision);
    }
  }

  /** Returns all decisions that settle their findings, in the order in which they were made. */
  public Collection<Decision> settled() {
    return last.values().stream().filter(Decisions::settles).toList();
  }

  private static boolean settles(Decision decision) {
    return decision.outcome() != Outcome.OPEN;
  }

  /** Returns the decision that settles the finding with the given id, if there is one. */
  public Optional<Decision> on(String id) {
    return lastOn(id).filter(Decisions::settles);
  }

  /**
   * Returns a new decision for a finding that was found again: it withdraws the finding's last
   * decision. Returns empty if that decision is not <i>done</i>.
   */
  public Optional<Decision> returned(String id) {
    return lastOn(id)
        .filter(last -> last.outcome() == Outcome.DONE)
        .map(
            last ->
                new Decision(
                    id, Outcome.OPEN, Instant.now(), last.about(), By.AGENT, "it is there again"));
  }

  /** Returns the last decision on a finding, even if it withdraws an earlier decision. */
  public Optional<Decision> lastOn(String id) {
    return Optional.ofNullable(last.get(id));
  }

  /** Returns those findings that no decision settles, at most as many as a report lists. */
  public Findings applyTo(Findings all) {
    return new Findings(
        all.entries(),
        all.topics(),
        open(all.copies(), Integer.MAX_VALUE),
        open(all.topicOverlaps(), Integer.MAX_VALUE),
        open(all.relations(), Findings.listedRelations(all.entries().size())));
  }

  private <F extends Finding> List<F> open(List<F> findings, int most) {
    return findings.stream().filter(one -> on(one.id()).isEmpty()).limit(most).toList();
  }
}
