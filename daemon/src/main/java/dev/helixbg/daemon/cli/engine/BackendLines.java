package dev.helixbg.daemon.cli.engine;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.BackendAgreement;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.KernelProfile;
import java.util.List;

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

  /** Prints the time of each kernel, where a GPU timed them. */
  static void printProfile(Console console, Backend backend) {
    List<KernelProfile.Entry> profile =
        backend instanceof GpuBackend gpu
            ? gpu.profile().map(KernelProfile::entries).orElse(List.of())
            : List.of();
    double all = profile.stream().mapToDouble(KernelProfile.Entry::seconds).sum();
    for (KernelProfile.Entry entry : profile) {
      console.note(
          "kernel        %-12s %-28s %-18s %6d times %9.2f ms %5.1f %%  fastest %.1f us",
          entry.kernel(),
          entry.library(),
          entry.grid(),
          entry.times(),
          entry.seconds() * 1e3,
          100 * entry.seconds() / all,
          entry.fastest() * 1e6);
    }
  }

  static void print(Console console, BackendAgreement agreement) {
    console.note(
        "check     differences as shares of the largest value at each place; %s",
        agreement.sameToken() ? "same next token" : "ANOTHER NEXT TOKEN");
    for (BackendAgreement.Parting place : agreement.places()) {
      console.note(
          "          layer %3d  %-16s off by %.1e",
          place.layer(), Json.word(place.tap()), place.difference());
    }
    agreement
        .firstParting()
        .ifPresent(
            parting ->
                console.note(
                    "          layer %d is the first to part, in its %s (value %d of token %d: %.6g"
                        + " here, %.6g there)",
                    parting.layer(),
                    Json.word(parting.tap()),
                    parting.column(),
                    parting.row(),
                    parting.actual(),
                    parting.expected()));
  }
}
