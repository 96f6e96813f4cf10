package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.judge.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Model.OptionSpec;

final class FindingFilter implements Declaration.Shared {
  private String topic;
  private String kind;
  private String verdict;

  @Override
  public void declare(Declaration to) {
    to.option(
        "--topic=TOPIC",
        "Choose the findings about this topic or about one of its entries.",
        given -> topic = given);
    to.add(
        OptionSpec.builder("--kind")
            .paramLabel("KIND")
            .completionCandidates(ReportedFinding.KINDS)
            .description("Choose the findings of this kind: ${COMPLETION-CANDIDATES}."),
        String.class,
        given -> kind = given);
    to.option(
        "--verdict=VERDICT",
        "Choose the findings with this verdict: same, overtaken, related or different.",
        given -> verdict = given);
  }

  boolean isEmpty() {
    return topic == null && kind == null && verdict == null;
  }

  boolean asksForVerdict() {
    return verdict != null;
  }

  Predicate<ReportedFinding> chosen() {
    if (kind != null && !ReportedFinding.KINDS.contains(kind)) {
      String kinds = String.join(", ", ReportedFinding.KINDS);
      throw Failure.usage("--kind must be one of " + kinds + ", not " + kind);
    }
    Optional<Verdict> wanted = Optional.ofNullable(verdict).flatMap(Verdict::titled);
    if (verdict != null && wanted.isEmpty()) {
      throw Failure.usage(
          "--verdict must be same, overtaken, related or different, not " + verdict);
    }
    return finding ->
        (topic == null || isOn(finding))
            && (kind == null || finding.isOf(kind))
            && (verdict == null || finding.verdict().equals(wanted));
  }

  /** Fails if the knowledge base lacks the topic; a topic without findings is accepted. */
  void requireTopic(Kb kb, List<ReportedFinding> all) throws InterruptedException {
    if (topic != null && all.stream().noneMatch(this::isOn)) {
      KbTopics.require(kb, topic);
    }
  }

  private boolean isOn(ReportedFinding finding) {
    return finding.topics().stream().anyMatch(one -> KbTopics.isSame(one, topic));
  }
}
