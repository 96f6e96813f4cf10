package dev.helixbg.llm;

import java.util.List;
import java.util.stream.Stream;

/**
 * What opening a model took, phase by phase.
 *
 * @param refused why GPUs that are there were not taken, a sentence each; empty if none is there
 */
public record LoadReport(List<Phase> phases, List<String> refused) {

  /**
   * One phase.
   *
   * @param name open, header, backend, weights, compile, warm, tiles or tokenizer
   * @param nanos it took
   * @param beside whether another thread did it, so that it adds nothing to the total
   */
  public record Phase(String name, long nanos, boolean beside) {}

  /** From the call to the model being ready. */
  public long totalNanos() {
    return phases.stream().filter(phase -> !phase.beside()).mapToLong(Phase::nanos).sum();
  }

  LoadReport with(Stream<Phase> more) {
    return new LoadReport(Stream.concat(phases.stream(), more).toList(), refused);
  }
}
