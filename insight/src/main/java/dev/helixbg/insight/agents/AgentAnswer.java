package dev.helixbg.insight.agents;

import dev.helixbg.insight.judge.QuestionKind;
import java.time.Instant;

/**
 * An answer of a coding agent.
 *
 * @param question id of an {@link AgentQuestion}
 * @param isHasty whether the answer came so fast that the agent cannot have read the texts
 */
public record AgentAnswer(
    AgentClient client,
    String question,
    QuestionKind kind,
    String answer,
    boolean isHasty,
    Instant at) {}
