package dev.helixbg.insight.decisions;

import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The decisions in force: the last one on each finding. */
public final class Decisions {
  public static final Decisions NONE = new Decisions(List.of());

  /** The last decision on each finding, also one that was taken back. */
  private final Map<String, Decision> last = new LinkedHashMap<>();

  private final Map<String, Decision> opinions = new LinkedHashMap<>();

  /**
   * @param inOrder all decisions ever made, oldest first
   */
  Decisions(List<Decision> inOrder) {
    for (Decision decision : inOrder) {
      if (decision.outcome().isOpinion()) {
        opinions.put(decision.id(), decision);
        continue;
      }
      last.remove(decision.id());
      last.put(decision.id(), decision);
    }
  }

  /** Returns the decisions that settle a finding, in the order in which they were made. */
  public Collection<Decision> settled() {
    return last.values().stream().filter(Decisions::settles).toList();
  }

  private static boolean settles(Decision decision) {
    return decision.outcome() != Outcome.OPEN;
  }

  /** The decision that settles a finding. */
  public Optional<Decision> on(String id) {
    return lastOn(id).filter(Decisions::settles);
  }

  /** The last decision on a finding, also one that was taken back. */
  public Optional<Decision> lastOn(String id) {
    return Optional.ofNullable(last.get(id));
  }

  /**
   * Whether one of the ids of a finding is settled.
   *
   * @see Finding#aliases
   */
  public boolean isSettled(Collection<String> ids) {
    return ids.stream().anyMatch(id -> on(id).isPresent());
  }

  /** The last opinion on a finding, which settles nothing. */
  public Optional<Decision> opinionOn(String id) {
    return Optional.ofNullable(opinions.get(id));
  }

  /**
   * Takes the settled findings out, by any of the ids under which they were settled, and of what is
   * left the best. A relation that has dropped out of the best is not seen here.
   *
   * @param all that an analysis found
   */
  public Findings applyTo(Findings all) {
    return new Findings(
        all.entries(),
        all.topics(),
        open(all.copies()),
        open(all.topicOverlaps()),
        best(open(all.misfiled()), Finding.Misfiled.LISTED),
        best(open(all.relations()), Findings.listedRelations(all.entries().size())));
  }

  private <F extends Finding> List<F> open(List<F> findings) {
    return last.isEmpty()
        ? findings
        : findings.stream().filter(finding -> !isSettled(finding.aliases())).toList();
  }

  private static <F> List<F> best(List<F> findings, int most) {
    return findings.size() <= most ? findings : List.copyOf(findings.subList(0, most));
  }
}
