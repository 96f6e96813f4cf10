package dev.helixbg.embed;

import dev.helixbg.config.Settings.EmbedSettings;
import java.nio.file.Path;

/**
 * Opens the embedding model in eight-bit arithmetic on ONNX Runtime. A processor that cannot run
 * the project's own engine uses this method, so benchmarks compare the two.
 */
public final class OnnxRuntimeInt8 {
  private OnnxRuntimeInt8() {}

  /**
   * Loads the model; the first time, this takes seconds.
   *
   * @param settings settings, of which only the model folder and the token limit are used
   */
  public static MiniLm open(EmbedSettings settings, Path cacheFolder, int threads) {
    ModelSource source = ModelSource.find(settings.models(), cacheFolder);
    return NativeLibraries.open(
        "the embedding model",
        cacheFolder,
        () -> {
          PreparedModel prepared = PreparedModel.of(source, CpuNetwork.FUSED_INT8, cacheFolder);
          TokenModel model = prepared.network().open(prepared.file(), Pooling.UNIT_MEAN);
          return Tokenizer.open(prepared.tokenizer(), settings.maxTokens())
              .into(
                  tokenizer ->
                      new MiniLm(
                          tokenizer,
                          new TokenBatches(model, threads),
                          new MiniLm.Provenance(prepared.why(), "CPU")));
        });
  }
}
