package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import java.nio.file.Path;

/**
 * The bundled pair judge before it is loaded. It runs on the CPU. A run that has no pairs to read
 * needs only the judge's id and calibration, and loads no native library.
 *
 * @param id 32 hexadecimal digits; pair judges with the same id give the same readings of the same
 *     texts
 * @param cacheFolder folder for files that helix-bg derives from models; created when needed
 * @param threads number of threads that read at once
 */
public record PairModel(String id, PairCalibration calibration, Path cacheFolder, int threads) {
  /**
   * Part of the id that stands for the code. Change it whenever a new version of the code computes
   * different logits with the same weights. Differences in the last bits do not count.
   */
  private static final String RECIPE = "pair judge 1";

  /**
   * Finds the pair judge. The weights would take some megabytes of memory. They are therefore not
   * kept, but read again when the judge is opened.
   *
   * @throws EmbeddingException when the pair judge is missing or damaged
   */
  public static PairModel locate(Path cacheFolder, int threads) {
    PairWeights weights = PairWeights.bundled();
    String text = RECIPE + "\n" + PreparedModel.judgeNetwork().id() + "\n" + weights.hash();
    String id = Sha256.of(text).substring(0, 32);
    return new PairModel(id, weights.calibration(), cacheFolder, threads);
  }

  /**
   * Loads the pair judge. The first time, this takes seconds, writes to the cache folder, and
   * compares its logits with the logits that were computed after the training.
   *
   * @throws EmbeddingException when the pair judge cannot be loaded, or computes logits that differ
   *     too much
   */
  public PairReader open() {
    return NativeLibraries.open(
        "the pair judge",
        cacheFolder,
        () -> {
          PairWeights weights = PairWeights.bundled();
          PreparedModel prepared = PreparedModel.judge(weights, cacheFolder);
          return CrossEncoder.openTokenizer(prepared)
              .into(
                  tokenizer ->
                      new CrossEncoder(
                          tokenizer,
                          new TokenBatches(prepared.open(Pooling.FIRST), threads),
                          weights));
        });
  }
}
