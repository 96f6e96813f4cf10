package dev.helixbg.insight.agents;

import dev.helixbg.insight.judge.QuestionKind;
import java.time.Instant;

/**
 * An answer of a coding agent.
 *
 * @param question its id, see {@link AgentQuestion}
 * @param answer one of those that are possible
 * @param isHasty whether it came faster than anything can read
 */
public record AgentAnswer(
    AgentClient client,
    String question,
    QuestionKind kind,
    String answer,
    boolean isHasty,
    Instant at) {}
