package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Decides between the CPU and CoreML by trying both. CoreML is known to give wrong or slow results
 * for some releases and machines, so it is kept only where it proved right and faster.
 */
final class ProviderChoice {

  /** Cosine between the two providers that every probe text must reach. */
  static final double MINIMUM_COSINE = 0.999;

  private static final int TIMED_RUNS = 3;

  /** Embeds the probe texts with one provider. */
  interface Probe {
    float[][] embed() throws Exception;
  }

  /**
   * The provider to use.
   *
   * @param why for people, one line
   */
  record Verdict(boolean coreMl, String why) {}

  private final LongSupplier nanoTime;

  ProviderChoice(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Tries both, however badly CoreML behaves; only a failing CPU makes this fail. */
  Verdict decide(Probe cpu, Probe coreMl) throws Exception {
    float[][] expected = cpu.embed();
    float[][] found;
    double coreMlNanos;
    try {
      found = coreMl.embed();
      coreMlNanos = median(coreMl);
    } catch (Exception e) {
      return new Verdict(false, oneLine("CoreML failed on the probe texts: " + e.getMessage()));
    }
    double worst = ProbeTexts.worstCosine(expected, found);
    if (!(worst >= MINIMUM_COSINE)) { // also true for NaN
      return new Verdict(false, format("CoreML is off: cosine %.4f to the CPU's vectors", worst));
    }
    double factor = median(cpu) / Math.max(1, coreMlNanos);
    return factor > 1
        ? new Verdict(true, format("CoreML was %.1f times as fast on the probe texts", factor))
        : new Verdict(false, format("CoreML was only %.2f times as fast as the CPU", factor));
  }

  /**
   * The verdict of an earlier run with the same circumstances, else a new one, which is remembered.
   *
   * @param folder that holds the verdicts
   * @param circumstances model, release, machine: whatever a verdict depends on
   */
  Verdict remembered(Path folder, List<String> circumstances, Probe cpu, Probe coreMl)
      throws Exception {
    String text = String.join("\n", circumstances);
    Path note = folder.resolve(Sha256.of(text).substring(0, 16));
    Verdict earlier = read(note, text);
    if (earlier != null) {
      return earlier;
    }
    Verdict verdict = decide(cpu, coreMl);
    Files.createDirectories(folder);
    String content = text + "\n" + (verdict.coreMl ? "coreml" : "cpu") + "\n" + verdict.why;
    AtomicFile.replace(note, out -> out.write(content.getBytes(StandardCharsets.UTF_8)));
    return verdict;
  }

  private static Verdict read(Path note, String circumstances) throws IOException {
    if (!Files.isRegularFile(note)) {
      return null;
    }
    String content = new String(Files.readAllBytes(note), StandardCharsets.UTF_8);
    if (!content.startsWith(circumstances + "\n")) {
      return null;
    }
    String[] lines = content.substring(circumstances.length() + 1).split("\n", -1);
    boolean coreMl = lines[0].equals("coreml");
    return lines.length == 2 && (coreMl || lines[0].equals("cpu"))
        ? new Verdict(coreMl, lines[1])
        : null;
  }

  private double median(Probe probe) throws Exception {
    double[] nanos = new double[TIMED_RUNS];
    for (int i = 0; i < TIMED_RUNS; i++) {
      long start = nanoTime.getAsLong();
      probe.embed();
      nanos[i] = nanoTime.getAsLong() - start;
    }
    return Median.of(nanos);
  }

  private static String format(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
