package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import java.nio.file.Path;

/**
 * The bundled pair judge, found but not loaded; it runs on the CPU. A run without pairs to read
 * needs its id and calibration only and loads no native library.
 */
public final class PairModel {
  /**
   * Version of the computation; must be raised when the same weights would give other logits,
   * beyond the last bits.
   */
  private static final String RECIPE = "pair judge 1";

  private final String id;
  private final PairCalibration calibration;
  private final Path cacheFolder;
  private final int threads;

  /** Keeps id and calibration only. The weights, some megabytes, are read again on opening. */
  private PairModel(PairWeights weights, Path cacheFolder, int threads) {
    this.id =
        Sha256.of(RECIPE + "\n" + PreparedModel.judgeNetwork().id() + "\n" + weights.hash())
            .substring(0, 32);
    this.calibration = weights.calibration();
    this.cacheFolder = cacheFolder;
    this.threads = threads;
  }

  /**
   * Finds the pair judge.
   *
   * @param cacheFolder folder for files that helix-bg derives from models; created when needed
   * @param threads number of threads that read at once
   * @throws EmbeddingException when the pair judge is missing or damaged
   */
  public static PairModel locate(Path cacheFolder, int threads) {
    return new PairModel(PairWeights.bundled(), cacheFolder, threads);
  }

  /**
   * Returns 32 hexadecimal digits: a hash of weights and precision. Pair judges with the same id
   * read the same texts alike.
   */
  public String id() {
    return id;
  }

  public PairCalibration calibration() {
    return calibration;
  }

  /**
   * Loads the pair judge. The first time, this takes seconds, writes to the cache folder, and
   * compares logits with those computed after the training.
   *
   * @throws EmbeddingException when the pair judge cannot be loaded, or computes other logits
   */
  public PairReader open() {
    return NativeLibraries.open(
        "the pair judge",
        cacheFolder,
        () -> {
          PairWeights weights = PairWeights.bundled();
          PreparedModel prepared = PreparedModel.judge(weights, cacheFolder);
          return CrossEncoder.tokenizer(prepared)
              .into(
                  tokenizer ->
                      new CrossEncoder(tokenizer, prepared.open(Pooling.FIRST), threads, weights));
        });
  }
}
