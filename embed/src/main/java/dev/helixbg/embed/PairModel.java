package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import java.nio.file.Path;

/**
 * The pair judge that comes with the program, found but not loaded: a run that has nothing to read
 * needs its id and calibration only, and loads no native library. It runs on the CPU.
 */
public final class PairModel {
  /** Raised when the same weights would give other logits, beyond their last bits. */
  private static final String RECIPE = "pair judge 1";

  private final String id;
  private final PairCalibration calibration;
  private final Path cacheFolder;
  private final int threads;

  /** The weights themselves are read again when it is opened: megabytes that would rest here. */
  private PairModel(PairWeights weights, Path cacheFolder, int threads) {
    this.id =
        Sha256.of(RECIPE + "\n" + PreparedModel.judgeNetwork().id() + "\n" + weights.hash())
            .substring(0, 32);
    this.calibration = weights.calibration();
    this.cacheFolder = cacheFolder;
    this.threads = threads;
  }

  /**
   * Finds it.
   *
   * @param cacheFolder for what helix-bg makes of models; created when it is needed
   * @param threads that read at once
   * @throws EmbeddingException when it is missing or damaged
   */
  public static PairModel locate(Path cacheFolder, int threads) {
    return new PairModel(PairWeights.bundled(), cacheFolder, threads);
  }

  /**
   * 32 hexadecimal digits that are the same wherever the same texts get the same reading: from
   * weights and precision.
   */
  public String id() {
    return id;
  }

  public PairCalibration calibration() {
    return calibration;
  }

  /**
   * Loads it. The first time, this takes seconds, writes to the cache folder, and compares what is
   * computed here with what was computed where the model was trained.
   *
   * @throws EmbeddingException when it cannot be loaded, or computes something else
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
