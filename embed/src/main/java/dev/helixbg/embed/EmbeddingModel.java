package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.embed.encoder.Encoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The embedding model that the settings lead to, found but not loaded: a run that has nothing to
 * embed needs its id only, and loads no native library.
 */
public final class EmbeddingModel {

  /** Part of the id: changes when the same files would give other vectors. */
  private static final String RECIPE = "mean pooling 1";

  /** Folder in the cache folder that holds the verdicts of trials. */
  private static final String TRIALS = "trials";

  private final EmbedSettings settings;
  private final Path cacheFolder;
  private final ModelSource source;
  private final CpuNetwork network;
  private final String id;

  private EmbeddingModel(
      EmbedSettings settings, CpuNetwork network, Path cacheFolder, ModelSource source) {
    this.settings = settings;
    this.network = network;
    this.cacheFolder = cacheFolder;
    this.source = source;
    this.id =
        Sha256.of(
                String.join(
                    "\n",
                    RECIPE,
                    source.graphHash(),
                    source.tokenizerHash(),
                    network.id(),
                    Integer.toString(settings.maxTokens()) + (isCoreMl() ? "\nCoreML" : "")))
            .substring(0, 32);
  }

  /**
   * Finds the model.
   *
   * @param cacheFolder for what helix-bg makes of models; created when it is needed
   * @throws EmbeddingException when the configured folder holds a model that cannot be used
   */
  public static EmbeddingModel locate(EmbedSettings settings, Path cacheFolder) {
    return new EmbeddingModel(
        settings,
        CpuNetwork.of(settings.precision()),
        cacheFolder,
        ModelSource.find(settings.models(), cacheFolder));
  }

  /**
   * 32 hexadecimal digits that are the same wherever the same text gets the same vector: from
   * model, tokenizer, precision, token limit and provider. That of the CPU goes unnamed, as it did
   * when its vectors were the only ones.
   */
  public String id() {
    return id;
  }

  /**
   * Another way to embed, which may be faster and takes longer to open: on a Mac CoreML, elsewhere
   * eight bits for passages, and sixteen for entries where our own engine can run. Its vectors have
   * an id of their own. Empty where all is embedded in one way.
   */
  public Optional<EmbeddingModel> forMany(boolean passages) {
    if (settings.precision() != Precision.AUTO || isCoreMl()) {
      return Optional.empty();
    }
    if (settings.provider() == ExecutionProvider.AUTO && PackedLibraries.os().equals("osx")) {
      return Optional.of(with(ExecutionProvider.COREML, network));
    }
    if (passages) {
      return Optional.of(with(ExecutionProvider.CPU, CpuNetwork.of(Precision.INT8)));
    }
    return Encoder.isAvailable()
        ? Optional.of(with(ExecutionProvider.CPU, CpuNetwork.FINE_ENCODER))
        : Optional.empty();
  }

  /**
   * The way to embed a query that is compared with entries' vectors of an id: theirs where our own
   * engine made them, which opens at once, else this one.
   */
  public EmbeddingModel forQueries(String vectors) {
    return anotherForQueries().filter(other -> other.id.equals(vectors)).orElse(this);
  }

  /** Whether all queries are embedded this way, since the other one was never made ready here. */
  public boolean isForAllQueries() {
    return anotherForQueries()
        .filter(other -> PreparedModel.isThere(source, other.network, cacheFolder))
        .isEmpty();
  }

  private Optional<EmbeddingModel> anotherForQueries() {
    return forMany(false).filter(other -> !other.isCoreMl());
  }

  private EmbeddingModel with(ExecutionProvider provider, CpuNetwork other) {
    return new EmbeddingModel(
        new EmbedSettings(settings.models(), provider, settings.precision(), settings.maxTokens()),
        other,
        cacheFolder,
        source);
  }

  /**
   * How much faster this way to embed is than another one, by a trial of a second that is
   * remembered for this machine, model and runtime. One trial is enough: where sixteen bits pay,
   * eight do.
   *
   * @throws EmbeddingException when the other one cannot be loaded
   */
  public SpeedTrial.Verdict against(EmbeddingModel plain, int threads) {
    EmbeddingModel tried = plain.forMany(false).orElse(this);
    return tried
        .trial()
        .remembered(
            cacheFolder.resolve(TRIALS),
            source.graphHash(),
            () -> plain.open(threads),
            () -> tried.open(threads));
  }

  /** Returns what a trial found earlier on this machine; empty if there was no trial. */
  public Optional<SpeedTrial.Verdict> triedAgainst(EmbeddingModel plain) {
    try {
      return plain
          .forMany(false)
          .orElse(this)
          .trial()
          .remembered(cacheFolder.resolve(TRIALS), source.graphHash());
    } catch (IOException e) {
      throw new EmbeddingException("cannot read what was tried: " + e.getMessage(), e);
    }
  }

  private SpeedTrial trial() {
    return isCoreMl()
        ? new SpeedTrial("CoreML", SpeedTrial.SAME, System::nanoTime)
        : new SpeedTrial(network.describe(), PreparedModel.bound(network), System::nanoTime);
  }

  /** For people: which model, precision and limit. */
  public String describe() {
    String precision = settings.precision() == Precision.INT8 ? ", eight-bit" : "";
    return "%s%s, texts cut at %d tokens"
        .formatted(source.describe(), precision, settings.maxTokens());
  }

  /**
   * Loads the model. The first time, this takes seconds and writes to the cache folder.
   *
   * @param threads that embed at once
   * @throws EmbeddingException when it cannot be loaded
   */
  public MiniLm open(int threads) {
    return NativeLibraries.open("the embedding model", cacheFolder, () -> prepared(threads));
  }

  private MiniLm prepared(int threads) throws IOException, OrtException {
    if (isCoreMl()) {
      requireCoreMl();
    }
    PreparedModel prepared = PreparedModel.of(source, network, cacheFolder);
    String graph = prepared.network().describe() + ", " + prepared.why();
    MiniLm.Provenance provenance =
        isCoreMl()
            ? new MiniLm.Provenance("as exported, for CoreML", "CoreML")
            : new MiniLm.Provenance(graph, "CPU");
    return Tokenizer.open(prepared.tokenizer(), settings.maxTokens())
        .into(
            tokenizer -> {
              TokenModel model =
                  isCoreMl()
                      ? new CoreMlModel(source, cacheFolder)
                      : prepared.open(Pooling.UNIT_MEAN);
              return new MiniLm(tokenizer, model, threads, provenance);
            });
  }

  private void requireCoreMl() {
    if (!CoreMlModel.isAvailable()) {
      throw new EmbeddingException(
          "embed.provider is coreml, but ONNX Runtime has no CoreML on "
              + System.getProperty("os.name")
              + ": set it to auto or cpu");
    }
    if (settings.precision() == Precision.INT8) {
      throw new EmbeddingException(
          "embed.provider is coreml, which does not run embed.precision int8: change one of them");
    }
  }

  private boolean isCoreMl() {
    return settings.provider() == ExecutionProvider.COREML;
  }
}
