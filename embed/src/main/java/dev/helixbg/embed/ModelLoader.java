package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.EmbedSettings;
import dev.helixbg.config.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.file.Path;

/** Wires natives, tokenizer, network and provider into a {@link MiniLm}. */
final class ModelLoader {

  private final ModelSource source;
  private final EmbedSettings settings;
  private final Path cacheFolder;

  ModelLoader(ModelSource source, EmbedSettings settings, Path cacheFolder) {
    this.source = source;
    this.settings = settings;
    this.cacheFolder = cacheFolder;
  }

  MiniLm open(int threads) {
    NativeLibraries.load(cacheFolder);
    ProviderSelection providers = ProviderSelection.of(settings, cacheFolder);
    providers.wantsCoreMl(); // which says so where it cannot be had
    Tokenizer tokenizer = null;
    try {
      PreparedModel prepared = PreparedModel.of(source, settings.precision(), cacheFolder);
      tokenizer = Tokenizer.open(prepared.tokenizer(), settings.maxTokens());
      Tokenizer probes = tokenizer;
      ProviderSelection.Selected selected =
          providers.select(
              source.graphHash(),
              () ->
                  new CpuModel(
                      prepared.graph(),
                      settings.precision() == Precision.INT8 && prepared.fused(),
                      Pooling.UNIT_MEAN),
              () ->
                  providers.coreMl(source.locate().graph(), source.graphHash(), Pooling.UNIT_MEAN),
              model -> ProbeTexts.embed(model, probes));
      String graph = (prepared.fused() ? "fused, " : "as exported, ") + prepared.why();
      return new MiniLm(
          tokenizer,
          selected.model(),
          threads,
          new MiniLm.Provenance(
              selected.coreMl() ? "as exported, for CoreML" : graph, selected.why()));
    } catch (IOException e) {
      close(tokenizer);
      throw new EmbeddingException(
          "cannot prepare the model in %s: %s. Check its permissions and the free space"
              .formatted(cacheFolder, e),
          e);
    } catch (OrtException e) {
      close(tokenizer);
      throw new EmbeddingException("cannot load the embedding model: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      close(tokenizer);
      throw e;
    }
  }

  private static void close(Tokenizer tokenizer) {
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
