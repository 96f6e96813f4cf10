package dev.helixbg.daemon.cli.engine;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.BackendAgreement;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;

/** Prints what a backend did, and how far two agree. */
final class BackendLines {
  private BackendLines() {}

  /** Prints counters; of a GPU, its memory, too. */
  static void print(Console console, Backend backend) {
    backend
        .counters()
        .snapshot()
        .forEach((what, n) -> console.note("%-17s %,d", Json.word(what), n));
    if (backend instanceof GpuBackend gpu) {
      console.note("gpu           %s %s", gpu.device().name(), gpu.device().driver());
      console.note(
          "gpu memory    %,d of %,d bytes", gpu.device().memoryUsed(), gpu.device().memoryBudget());
      console.note("copied        %,d bytes of weights", gpu.copiedWeightBytes());
    }
  }

  static void print(Console console, BackendAgreement agreement) {
    console.note(
        "check     logits off by %.1e of the largest; %s",
        agreement.difference(), agreement.sameToken() ? "same next token" : "ANOTHER NEXT TOKEN");
  }
}
