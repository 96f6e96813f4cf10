package dev.helixbg.daemon.cli.engine;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.KernelProfile;
import java.util.List;
import java.util.Optional;

/**
 * What the GPU did for a run, beside the counters that every backend has.
 *
 * @param gpu as the system calls it
 * @param driver what drives it; empty if there is nothing to say
 * @param profile by kernel; empty if none was taken
 */
record GpuStatistics(
    String gpu,
    String driver,
    long memoryUsed,
    long memoryBudget,
    long copiedWeights,
    List<KernelProfile.Entry> profile) {

  /** Empty if something else ran the model. */
  static Optional<GpuStatistics> of(Backend backend) {
    return backend instanceof GpuBackend gpu
        ? Optional.of(
            new GpuStatistics(
                gpu.device().name(),
                gpu.device().driver(),
                gpu.device().memoryUsed(),
                gpu.device().memoryBudget(),
                gpu.copiedWeightBytes(),
                gpu.profile().map(KernelProfile::entries).orElse(List.of())))
        : Optional.empty();
  }

  /** Prints the name and the properties of the device. */
  void printDevice(Console console) {
    console.say(
        "GPU       %s%s, %,d of %,d MB used",
        gpu, driver.isEmpty() ? "" : ", " + driver, memoryUsed >> 20, memoryBudget >> 20);
  }

  void print(Console console) {
    console.note("gpu           %s %s", gpu, driver);
    console.note("gpu memory    %,d of %,d bytes", memoryUsed, memoryBudget);
    console.note("copied        %,d bytes of weights", copiedWeights);
    printProfile(console);
  }

  void printProfile(Console console) {
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
}
