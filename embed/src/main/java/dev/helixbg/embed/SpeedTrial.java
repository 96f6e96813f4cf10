package dev.helixbg.embed;

import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.embed.store.CacheNote;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;

/**
 * Tests, on this machine, whether another method of running a network is correct, and faster than
 * the usual method (the plain method). CoreML is slow or wrong with some releases and machines;
 * eight-bit arithmetic is faster only on some processors.
 *
 * @param way name of the other method, in words
 * @param minimumCosine minimum cosine that is accepted between the vectors of the two methods
 */
public record SpeedTrial(String way, double minimumCosine, LongSupplier nanoTime) {

  /** Minimum cosine between the vectors that CoreML and the CPU compute for the same text. */
  static final double SAME = 0.999;

  /**
   * Lower end of the range of gains that are measured three times; the median of the three counts.
   * The upper end is {@link #CLEARLY_FASTER}.
   */
  private static final double SLOWER = 0.9;

  private static final double CLEARLY_FASTER = 1.5;

  /**
   * Minimum gain at which another method is used. The gains of repeated trials differ by less than
   * 0.15.
   */
  public static final double WORTH = 1.15;

  /**
   * Result of a trial.
   *
   * @param gain speed as a multiple of the plain method's; 0 if the method must not be used
   * @param why the reason in words, one line
   */
  public record Verdict(double gain, String why) {}

  /**
   * Lets both methods embed texts as in a real run. If the other method fails, the verdict says so.
   *
   * @throws InterruptedException when the thread is interrupted while either method runs
   * @throws Exception when the plain method fails
   */
  Verdict run(Callable<Embedder> plain, Callable<Embedder> other) throws Exception {
    List<String> texts = ProbeTexts.window();
    try (Embedder model = plain.call()) {
      float[][] expected = model.embedAll(texts);
      try (Embedder tried = other.call()) {
        double worst = ProbeTexts.worstCosine(expected, tried.embedAll(texts));
        if (!(worst >= minimumCosine)) { // also true for NaN
          return new Verdict(
              0,
              format(
                  "%s: too inaccurate, vectors have a cosine of %.4f to the usual method's",
                  worst));
        }
        double gain = gain(texts, model, tried);
        if (gain > SLOWER && gain < CLEARLY_FASTER) {
          gain = Median.of(gain, gain(texts, model, tried), gain(texts, model, tried));
        }
        gain = Math.round(100 * gain) / 100.0;
        return new Verdict(gain, format("%s: %.2f times as fast as the usual method", gain));
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        String why = ("" + e.getMessage()).lines().findFirst().orElse("");
        return new Verdict(0, way + ": failed, " + why);
      }
    }
  }

  private double gain(List<String> texts, Embedder plain, Embedder other)
      throws InterruptedException {
    return nanos(texts, plain) / Math.max(1, nanos(texts, other));
  }

  private double nanos(List<String> texts, Embedder model) throws InterruptedException {
    long start = nanoTime.getAsLong();
    model.embedAll(texts);
    return nanoTime.getAsLong() - start;
  }

  /**
   * Returns the verdict of an earlier trial with the same network, runtime and machine. If there
   * was no such trial, runs one and stores its verdict. {@code network} is the hash of the
   * network's file.
   */
  Verdict remembered(
      Path cacheFolder, String network, Callable<Embedder> plain, Callable<Embedder> other) {
    try {
      Optional<Verdict> earlier = remembered(cacheFolder, network);
      if (earlier.isPresent()) {
        return earlier.get();
      }
      Verdict verdict = run(plain, other);
      note(cacheFolder, network).write(verdict.gain + "\n" + verdict.why);
      return verdict;
    } catch (RuntimeException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next call that embeds notices the interrupt
      return new Verdict(0, way + ": the trial was interrupted");
    } catch (Exception e) {
      throw new EmbeddingException(
          "the speed trial of the embedding model failed: " + e.getMessage(), e);
    }
  }

  private CacheNote note(Path cacheFolder, String network) {
    String circumstances =
        String.join(
            "\n",
            way,
            network,
            MachineCode.cpuInfo("model name"), // empty unless Linux on x86 reports it
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"),
            NativeLibraries.VERSION,
            PreparedModel.FORMAT);
    return new CacheNote(cacheFolder, "trials", circumstances, circumstances);
  }

  Optional<Verdict> remembered(Path cacheFolder, String network) {
    String[] lines = note(cacheFolder, network).read().orElse("").split("\n", -1);
    try {
      return lines.length == 2
          ? Optional.of(new Verdict(Double.parseDouble(lines[0]), lines[1]))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private String format(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, way, value);
  }

  public static final class Median {
    private Median() {}

    /** Returns the middle value, or the mean of the two middle values; needs at least one value. */
    public static double of(double... values) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
  }
}
