package dev.helixbg.insight.review;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Answers again what it was asked before, so that a run that was interrupted goes on where it
 * stopped. One thread at a time.
 */
public final class RememberingOracle implements Oracle {
  private static final int REMEMBERED = 1_000;

  /** The answers to the questions asked last, whoever answered them. */
  public static final class Memory {
    private final Map<List<Object>, Object> answers =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<List<Object>, Object> eldest) {
            return size() > REMEMBERED;
          }
        };
  }

  private final Oracle oracle;
  private final Memory memory;

  public RememberingOracle(Oracle oracle, Memory memory) {
    this.oracle = oracle;
    this.memory = memory;
  }

  @Override
  public String name() {
    return oracle.name();
  }

  @Override
  public int choose(String system, String user, List<String> choices, BooleanSupplier cancelled) {
    List<Object> question = List.of(oracle.name(), system, user, choices);
    Object known = memory.answers.get(question);
    if (known != null) {
      return (int) known;
    }
    int answer = oracle.choose(system, user, choices, cancelled);
    memory.answers.put(question, answer);
    return answer;
  }

  @Override
  public String write(
      String system,
      String user,
      int maxTokens,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    List<Object> question = List.of(oracle.name(), system, user, maxTokens);
    Object known = memory.answers.get(question);
    if (known != null) {
      listener.accept((String) known);
      return (String) known;
    }
    String answer = oracle.write(system, user, maxTokens, listener, cancelled);
    memory.answers.put(question, answer);
    return answer;
  }
}
