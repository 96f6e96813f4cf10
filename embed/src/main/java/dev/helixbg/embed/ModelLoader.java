package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.EmbedSettings;
import dev.helixbg.config.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Wires natives, tokenizer, network and provider into a {@link MiniLm}. */
record ModelLoader(ModelSource source, EmbedSettings settings, Path cacheFolder) {

  MiniLm open(int threads) {
    NativeLibraries.load(cacheFolder);
    boolean coreMl = settings.provider() == ExecutionProvider.COREML;
    ProviderSelection providers =
        new ProviderSelection(settings.provider(), settings.precision(), cacheFolder);
    providers.wantsCoreMl(); // which says so where it cannot be had
    Tokenizer tokenizer = null;
    try {
      PreparedModel prepared = PreparedModel.of(source, settings.precision(), cacheFolder);
      tokenizer = Tokenizer.open(prepared.tokenizer(), settings.maxTokens());
      TokenModel model =
          coreMl
              ? providers.coreMl(source.locate().graph(), source.graphHash(), Pooling.UNIT_MEAN)
              : new CpuModel(
                  prepared.graph(),
                  settings.precision() == Precision.INT8 && prepared.fused(),
                  Pooling.UNIT_MEAN);
      String graph = (prepared.fused() ? "fused, " : "as exported, ") + prepared.why();
      return new MiniLm(
          tokenizer,
          model,
          threads,
          new MiniLm.Provenance(
              coreMl ? "as exported, for CoreML" : graph, coreMl ? "CoreML" : "CPU"));
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

  /** Whether this way to run a network is better than another one for many texts. */
  SpeedTrial.Verdict trial(ModelLoader plain, int threads) {
    NativeLibraries.load(cacheFolder);
    List<String> texts = ProbeTexts.window();
    SpeedTrial trial =
        settings.provider() == ExecutionProvider.COREML
            ? new SpeedTrial("CoreML", SpeedTrial.SAME, System::nanoTime)
            : new SpeedTrial("eight bits", PreparedModel.INT8_BOUND, System::nanoTime);
    return trial.remembered(
        ProviderSelection.trials(cacheFolder),
        source.graphHash(),
        () -> plain.open(threads),
        () -> open(threads),
        model -> model.embedAll(texts));
  }

  private static void close(Tokenizer tokenizer) {
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
