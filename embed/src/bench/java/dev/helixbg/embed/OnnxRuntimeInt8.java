package dev.helixbg.embed;

import dev.helixbg.config.Settings.EmbedSettings;
import java.nio.file.Path;

/** The model in eight bits by ONNX Runtime, as it runs where our own engine cannot: its rival. */
public final class OnnxRuntimeInt8 {
  private OnnxRuntimeInt8() {}

  /**
   * Loads it; the first time, this takes seconds.
   *
   * @param settings of which the folder of models and the limit count
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
