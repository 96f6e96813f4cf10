package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.helixbg.config.EmbedSettings;
import dev.helixbg.config.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.EmbedSettings.Precision;
import dev.helixbg.embed.onnx.OnnxFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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
    boolean coreMl = wantsCoreMl();
    Tokenizer tokenizer = null;
    TokenModel cpu = null;
    try {
      PreparedModel prepared = PreparedModel.of(source, settings.precision(), cacheFolder);
      tokenizer = Tokenizer.open(prepared.tokenizer(), settings.maxTokens());
      if (coreMl && settings.provider() == ExecutionProvider.COREML) {
        return new MiniLm(
            tokenizer,
            coreMlModel(),
            threads,
            new MiniLm.Provenance("as exported, for CoreML", "CoreML, as configured"));
      }
      cpu =
          new CpuModel(
              prepared.graph(), settings.precision() == Precision.INT8 && prepared.fused());
      String graph = (prepared.fused() ? "fused, " : "as exported, ") + prepared.why();
      if (coreMl) {
        return chooseByProbe(tokenizer, cpu, threads, graph);
      }
      return new MiniLm(tokenizer, cpu, threads, new MiniLm.Provenance(graph, whyCpu()));
    } catch (IOException e) {
      close(tokenizer, cpu);
      throw new EmbeddingException(
          "cannot prepare the model in %s: %s. Check its permissions and the free space"
              .formatted(cacheFolder, e),
          e);
    } catch (OrtException e) {
      close(tokenizer, cpu);
      throw new EmbeddingException("cannot load the embedding model: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      close(tokenizer, cpu);
      throw e;
    }
  }

  /** Whether CoreML comes into question: it is there, and the settings allow it. */
  private boolean wantsCoreMl() {
    return switch (settings.provider()) {
      case CPU -> false;
      case AUTO -> settings.precision() == Precision.FP32 && CoreMlModel.isAvailable();
      case COREML -> {
        if (!CoreMlModel.isAvailable()) {
          throw new EmbeddingException(
              "embed.provider is coreml, but ONNX Runtime has no CoreML on "
                  + System.getProperty("os.name")
                  + ": set it to auto or cpu");
        }
        if (settings.precision() != Precision.FP32) {
          throw new EmbeddingException(
              "embed.provider is coreml, which runs embed.precision fp32 only: change one of them");
        }
        yield true;
      }
    };
  }

  private String whyCpu() {
    return switch (settings.provider()) {
      case CPU -> "CPU, as configured";
      case COREML -> throw new IllegalStateException("CoreML was asked for");
      case AUTO ->
          settings.precision() == Precision.INT8
              ? "CPU, where eight-bit models run"
              : "CPU, this platform has no CoreML";
    };
  }

  private MiniLm chooseByProbe(Tokenizer tokenizer, TokenModel cpu, int threads, String graph)
      throws IOException {
    TokenModel coreMl;
    try {
      coreMl = coreMlModel();
    } catch (EmbeddingException | OnnxFormatException e) {
      String why = "CPU, CoreML cannot take this model: " + e.getMessage();
      return new MiniLm(tokenizer, cpu, threads, new MiniLm.Provenance(graph, why));
    }
    try {
      ProviderChoice.Verdict verdict =
          new ProviderChoice(System::nanoTime)
              .remembered(
                  cacheFolder.resolve("providers"),
                  circumstances(),
                  () -> ProbeTexts.embed(cpu, tokenizer),
                  () -> ProbeTexts.embed(coreMl, tokenizer));
      TokenModel chosen = verdict.coreMl() ? coreMl : cpu;
      (verdict.coreMl() ? cpu : coreMl).close();
      return new MiniLm(
          tokenizer,
          chosen,
          threads,
          new MiniLm.Provenance(
              verdict.coreMl() ? "as exported, for CoreML" : graph,
              (verdict.coreMl() ? "CoreML: " : "CPU: ") + verdict.why()));
    } catch (IOException | RuntimeException e) {
      coreMl.close();
      throw e;
    } catch (Exception e) {
      coreMl.close();
      throw new EmbeddingException("the embedding model failed: " + e.getMessage(), e);
    }
  }

  private List<String> circumstances() {
    return List.of(
        source.graphHash(),
        OrtEnvironment.getEnvironment().getVersion(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("os.arch"));
  }

  private TokenModel coreMlModel() throws IOException {
    String release = OrtEnvironment.getEnvironment().getVersion();
    String folder = source.graphHash().substring(0, 16) + "-" + release;
    return new CoreMlModel(source.locate().graph(), cacheFolder.resolve("coreml").resolve(folder));
  }

  private static void close(Tokenizer tokenizer, TokenModel model) {
    if (model != null) {
      model.close();
    }
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
