package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.natives.PackedLibraries;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The pair judge that comes with the program, found but not loaded: a run that has nothing to read
 * needs its id and calibration only, and loads no native library.
 */
public final class PairModel {
  /** Raised when the same weights would give other logits, beyond their last bits. */
  private static final String RECIPE = "pair judge 1";

  private final String hash;
  private final PairCalibration calibration;
  private final ProviderSelection providers;
  private final Path cacheFolder;
  private final int threads;

  /** Null before it was asked for: on a Mac the model is loaded to say it. */
  private String id;

  /** The weights themselves are read again when it is opened: megabytes that would rest here. */
  private PairModel(
      PairWeights weights, ProviderSelection providers, Path cacheFolder, int threads) {
    this.hash = weights.hash();
    this.calibration = weights.calibration();
    this.providers = providers;
    this.cacheFolder = cacheFolder;
    this.threads = threads;
  }

  /**
   * Finds it.
   *
   * @param provider where networks run
   * @param cacheFolder for what helix-bg makes of models; created when it is needed
   * @param threads that read at once
   * @throws EmbeddingException when it is missing or damaged
   */
  public static PairModel locate(ExecutionProvider provider, Path cacheFolder, int threads) {
    return new PairModel(
        PairWeights.bundled(),
        new ProviderSelection(provider, Precision.FP32, cacheFolder),
        cacheFolder,
        threads);
  }

  /**
   * 32 hexadecimal digits that are the same wherever the same texts get the same reading: from
   * weights, precision and provider. That of the CPU goes unnamed. Only where CoreML may be chosen
   * by a trial is the model loaded to say so, once, and the first time for the trial itself.
   *
   * @throws EmbeddingException when that fails
   */
  public synchronized String id() {
    if (id == null) {
      String way = isCoreMl() ? "\nCoreML" : "";
      id =
          Sha256.of(RECIPE + "\n" + PreparedPairModel.NETWORK.id() + "\n" + hash + way)
              .substring(0, 32);
    }
    return id;
  }

  private boolean isCoreMl() {
    return switch (providers.provider()) {
      case CPU -> false;
      case COREML -> true;
      case AUTO -> PackedLibraries.os().equals("osx") && isCoreMlByTrial();
    };
  }

  private boolean isCoreMlByTrial() {
    return prepared(
        (prepared, weights, tokenizer) -> {
          boolean isCoreMl = isCoreMl(prepared, weights, tokenizer);
          tokenizer.close();
          return isCoreMl;
        });
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
    return prepared(
        (prepared, weights, tokenizer) -> {
          boolean isCoreMl = isCoreMl(prepared, weights, tokenizer);
          TokenModel model = isCoreMl ? onCoreMl(prepared) : prepared.onCpu();
          return new CrossEncoder(tokenizer, model, threads, weights);
        });
  }

  /** Use of the prepared model; if it does not fail, it owns the tokenizer. */
  private interface Use<T> {
    T of(PreparedPairModel prepared, PairWeights weights, Tokenizer tokenizer)
        throws IOException, OrtException;
  }

  private <T> T prepared(Use<T> use) {
    return NativeLibraries.open(
        "the pair judge",
        cacheFolder,
        () -> {
          PairWeights weights = PairWeights.bundled();
          PreparedPairModel prepared =
              PreparedPairModel.of(
                  ModelSource.bundled(cacheFolder), weights, providers.wantsCoreMl(), cacheFolder);
          return CrossEncoder.tokenizer(prepared)
              .into(tokenizer -> use.of(prepared, weights, tokenizer));
        });
  }

  private boolean isCoreMl(PreparedPairModel prepared, PairWeights weights, Tokenizer probes) {
    return providers.isCoreMl(
        hash,
        prepared::onCpu,
        () -> onCoreMl(prepared),
        model -> PreparedPairModel.window(weights, model, probes, threads));
  }

  private TokenModel onCoreMl(PreparedPairModel prepared) throws IOException {
    return providers.coreMl(prepared.export(), hash, Pooling.FIRST);
  }
}
