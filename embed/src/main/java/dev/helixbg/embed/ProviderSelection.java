package dev.helixbg.embed;

import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Where a network runs: on the CPU or on CoreML.
 *
 * @param precision of the network on the CPU; CoreML has one only
 */
record ProviderSelection(ExecutionProvider provider, Precision precision, Path cacheFolder) {

  /**
   * Whether CoreML comes into question: it is there, and the settings allow it.
   *
   * @throws EmbeddingException when it was asked for and cannot be
   */
  boolean wantsCoreMl() {
    return switch (provider) {
      case CPU -> false;
      case AUTO -> precision != Precision.INT8 && CoreMlModel.isAvailable();
      case COREML -> {
        if (!CoreMlModel.isAvailable()) {
          throw new EmbeddingException(
              "embed.provider is coreml, but ONNX Runtime has no CoreML on "
                  + System.getProperty("os.name")
                  + ": set it to auto or cpu");
        }
        if (precision == Precision.INT8) {
          throw new EmbeddingException(
              "embed.provider is coreml, which does not run embed.precision int8: change one of"
                  + " them");
        }
        yield true;
      }
    };
  }

  /**
   * Whether it does: because it was asked for, or was right and faster in a trial.
   *
   * @param cpu may compute in eight bits
   */
  boolean isCoreMl(
      String graphHash,
      SpeedTrial.Opener<TokenModel> cpu,
      SpeedTrial.Opener<TokenModel> coreMl,
      SpeedTrial.Work<TokenModel> work) {
    return wantsCoreMl()
        && (provider == ExecutionProvider.COREML
            || new SpeedTrial("CoreML", PreparedModel.INT8_BOUND, System::nanoTime)
                    .remembered(trials(cacheFolder), graphHash, cpu, coreMl, work)
                    .gain()
                > 1);
  }

  /** The folder that holds the verdicts of trials. */
  static Path trials(Path cacheFolder) {
    return cacheFolder.resolve("trials");
  }

  /** On CoreML. */
  CoreMlModel coreMl(Path graph, String graphHash, Pooling pooling) throws IOException {
    String folder = graphHash.substring(0, 16) + "-" + NativeLibraries.VERSION;
    return new CoreMlModel(graph, cacheFolder.resolve("coreml").resolve(folder), pooling);
  }
}
