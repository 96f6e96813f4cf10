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

/**
 * Where a network runs: on the CPU or on CoreML, as the settings say, or by a probe.
 *
 * @param precision of the network on the CPU; CoreML has one only
 */
record ProviderSelection(ExecutionProvider provider, Precision precision, Path cacheFolder) {

  /**
   * A network that was chosen.
   *
   * @param why for people: where it runs, and why
   */
  record Selected(TokenModel model, boolean coreMl, String why) {}

  /** Opens a network. */
  interface Opener {
    TokenModel open() throws IOException, OrtException;
  }

  /** What two ways to run a network are compared by. */
  interface Probe {
    float[][] vectors(TokenModel model) throws OrtException;
  }

  static ProviderSelection of(EmbedSettings settings, Path cacheFolder) {
    return new ProviderSelection(settings.provider(), settings.precision(), cacheFolder);
  }

  /**
   * Whether CoreML comes into question: it is there, and the settings allow it.
   *
   * @throws EmbeddingException when it was asked for and cannot be
   */
  boolean wantsCoreMl() {
    return switch (provider) {
      case CPU -> false;
      case AUTO -> precision == Precision.FP32 && CoreMlModel.isAvailable();
      case COREML -> {
        if (!CoreMlModel.isAvailable()) {
          throw new EmbeddingException(
              "embed.provider is coreml, but ONNX Runtime has no CoreML on "
                  + System.getProperty("os.name")
                  + ": set it to auto or cpu");
        }
        if (precision != Precision.FP32) {
          throw new EmbeddingException(
              "embed.provider is coreml, which runs embed.precision fp32 only: change one of them");
        }
        yield true;
      }
    };
  }

  /**
   * Opens a network; the caller closes it.
   *
   * @param graphHash names it
   * @param cpu opens it on the CPU; called unless CoreML was asked for
   * @param coreMl opens it on CoreML; called where that comes into question
   */
  Selected select(String graphHash, Opener cpu, Opener coreMl, Probe probe)
      throws IOException, OrtException {
    boolean wantsCoreMl = wantsCoreMl();
    if (wantsCoreMl && provider == ExecutionProvider.COREML) {
      return new Selected(coreMl.open(), true, "CoreML, as configured");
    }
    TokenModel onCpu = cpu.open();
    if (!wantsCoreMl) {
      return new Selected(onCpu, false, whyCpu());
    }
    try {
      return byProbe(graphHash, onCpu, coreMl, probe);
    } catch (IOException | OrtException | RuntimeException e) {
      onCpu.close();
      throw e;
    }
  }

  private String whyCpu() {
    return switch (provider) {
      case CPU -> "CPU, as configured";
      case COREML -> throw new IllegalStateException("CoreML was asked for");
      case AUTO ->
          precision == Precision.INT8
              ? "CPU, where eight-bit models run"
              : "CPU, this platform has no CoreML";
    };
  }

  private Selected byProbe(String graphHash, TokenModel cpu, Opener opener, Probe probe)
      throws IOException, OrtException {
    TokenModel coreMl;
    try {
      coreMl = opener.open();
    } catch (EmbeddingException | OnnxFormatException e) {
      return new Selected(cpu, false, "CPU, CoreML cannot take this model: " + e.getMessage());
    }
    try {
      ProviderChoice.Verdict verdict =
          new ProviderChoice(System::nanoTime)
              .remembered(
                  cacheFolder.resolve("providers"),
                  circumstances(graphHash),
                  () -> probe.vectors(cpu),
                  () -> probe.vectors(coreMl));
      (verdict.coreMl() ? cpu : coreMl).close();
      return new Selected(
          verdict.coreMl() ? coreMl : cpu,
          verdict.coreMl(),
          (verdict.coreMl() ? "CoreML: " : "CPU: ") + verdict.why());
    } catch (IOException | OrtException | RuntimeException e) {
      coreMl.close();
      throw e;
    } catch (Exception e) {
      coreMl.close();
      throw new EmbeddingException("the embedding model failed: " + e.getMessage(), e);
    }
  }

  private static List<String> circumstances(String graphHash) {
    return List.of(
        graphHash,
        OrtEnvironment.getEnvironment().getVersion(),
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        System.getProperty("os.arch"));
  }

  /** On CoreML. */
  CoreMlModel coreMl(Path graph, String graphHash, Pooling pooling) throws IOException {
    String release = OrtEnvironment.getEnvironment().getVersion();
    String folder = graphHash.substring(0, 16) + "-" + release;
    return new CoreMlModel(graph, cacheFolder.resolve("coreml").resolve(folder), pooling);
  }
}
