package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The embedding model that the settings select, found but not loaded. A run without texts to embed
 * needs only the model's id and loads no native library.
 */
public final class EmbeddingModel implements EmbedderSource {

  /** Part of {@link #id}; its number must rise when the vectors change. */
  private static final String RECIPE = "mean pooling 1";

  private final EmbedSettings settings;
  private final Path cacheFolder;
  private final ModelSource source;
  private final CpuNetwork network;
  private final int threads;
  private final String id;

  private EmbeddingModel(
      EmbedSettings settings,
      CpuNetwork network,
      Path cacheFolder,
      ModelSource source,
      int threads) {
    this.settings = settings;
    this.network = network;
    this.cacheFolder = cacheFolder;
    this.source = source;
    this.threads = threads;
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

  public static EmbeddingModel locate(Settings settings) {
    return locate(settings.embed(), settings.cache(), settings.threads());
  }

  /** Finds the model; throws if the configured folder has a model that cannot be used. */
  public static EmbeddingModel locate(EmbedSettings settings, Path cacheFolder, int threads) {
    ModelSource source = ModelSource.find(settings.models(), cacheFolder);
    return new EmbeddingModel(
        settings,
        CpuNetwork.of(settings.precision(), source.isBundled()),
        cacheFolder,
        source,
        threads);
  }

  /**
   * Returns 32 hexadecimal digits: a hash of model, tokenizer, precision, token limit and, if it is
   * used, CoreML. Models with the same id compute the same vector for a text.
   */
  @Override
  public String id() {
    return id;
  }

  @Override
  public int maxTokens() {
    return settings.maxTokens();
  }

  /**
   * Returns this model with another method of computing; empty if there is none. The method may be
   * faster, and its vectors have another id.
   *
   * <p>On a Mac, the method is CoreML, which takes long to open. On other systems, passages use
   * eight-bit arithmetic. If the CPU has VNNI and the model is the bundled one, entries use
   * smoothed eight-bit arithmetic. Otherwise, entries use sixteen-bit arithmetic, if {@link
   * Encoder} can run.
   */
  public Optional<EmbeddingModel> another(boolean passages) {
    if (settings.precision() != Precision.AUTO || isCoreMl()) {
      return Optional.empty();
    }
    if (settings.provider() == ExecutionProvider.AUTO && PackedLibraries.os().equals("osx")) {
      return Optional.of(with(ExecutionProvider.COREML, network));
    }
    CpuNetwork bytes = CpuNetwork.of(Precision.INT8, source.isBundled());
    if (passages || bytes == CpuNetwork.SMOOTHED_ENCODER) {
      return Optional.of(with(ExecutionProvider.CPU, bytes));
    }
    return Encoder.isAvailable(Square.SHORTS)
        ? Optional.of(with(ExecutionProvider.CPU, CpuNetwork.FINE_ENCODER))
        : Optional.empty();
  }

  /**
   * Returns the model that embeds queries: the model of {@link #another}, if it runs by machine
   * code and has computed the entries' vectors; otherwise this model.
   *
   * @param vectors id of the entries' vectors
   */
  @Override
  public EmbeddingModel forQueries(String vectors) {
    return anotherForQueries().filter(other -> other.id.equals(vectors)).orElse(this);
  }

  /** Returns the model that embeds entries by machine code if it is prepared, else this model. */
  @Override
  public EmbeddingModel likelyForQueries() {
    return anotherForQueries()
        .filter(other -> PreparedModel.isThere(source, other.network, cacheFolder))
        .orElse(this);
  }

  private Optional<EmbeddingModel> anotherForQueries() {
    return another(false).filter(EmbeddingModel::isMachineCode);
  }

  boolean isMachineCode() {
    return !isCoreMl() && network.isMachineCode();
  }

  private EmbeddingModel with(ExecutionProvider provider, CpuNetwork other) {
    return new EmbeddingModel(
        new EmbedSettings(settings.models(), provider, settings.precision(), settings.maxTokens()),
        other,
        cacheFolder,
        source,
        threads);
  }

  @Override
  public Optional<OtherWay> otherWay(boolean passages) {
    return another(passages)
        .map(
            other ->
                new OtherWay(
                    other.id, other.isMachineCode(), few -> other.gain(this, few), other::open));
  }

  private double gain(EmbeddingModel plain, boolean few) {
    Optional<SpeedTrial.Verdict> tried =
        few && isMachineCode() ? triedAgainst(plain) : Optional.of(against(plain));
    return tried.map(SpeedTrial.Verdict::gain).orElse(SpeedTrial.WORTH);
  }

  /**
   * Returns how much faster this model is than {@code plain}. A trial of about a second measures
   * the gain; the result is stored for this machine, model and runtime. If the method for entries
   * is fast enough, its trial also counts for passages.
   *
   * @throws EmbeddingException when {@code plain} cannot be loaded
   */
  SpeedTrial.Verdict against(EmbeddingModel plain) {
    Optional<SpeedTrial.Verdict> finer =
        finer(plain)
            .map(other -> other.against(plain))
            .filter(verdict -> verdict.gain() >= SpeedTrial.WORTH);
    return finer.orElseGet(
        () -> trial().remembered(cacheFolder, source.graphHash(), plain::open, this::open));
  }

  /** Returns the result of an earlier trial on this machine; empty if there was no trial. */
  public Optional<SpeedTrial.Verdict> triedAgainst(EmbeddingModel plain) {
    return trial()
        .remembered(cacheFolder, source.graphHash())
        .or(() -> finer(plain).flatMap(other -> other.triedAgainst(plain)));
  }

  private Optional<EmbeddingModel> finer(EmbeddingModel plain) {
    return plain.another(false).filter(other -> !other.id.equals(id));
  }

  private SpeedTrial trial() {
    return isCoreMl()
        ? new SpeedTrial("CoreML", SpeedTrial.SAME, System::nanoTime)
        : new SpeedTrial(network.describe(), PreparedModel.bound(network), System::nanoTime);
  }

  @Override
  public String describe() {
    String precision = settings.precision() == Precision.INT8 ? ", eight-bit" : "";
    return "%s%s, texts cut at %d tokens"
        .formatted(source.describe(), precision, settings.maxTokens());
  }

  /**
   * Loads the model. The first time, this takes seconds and writes to the cache folder.
   *
   * @throws EmbeddingException when the model cannot be loaded
   */
  @Override
  public MiniLm open() {
    return NativeLibraries.open("the embedding model", cacheFolder, this::prepared);
  }

  /**
   * Starts a thread that prepares the model for entries, unless that model is prepared already. The
   * thread takes two seconds, in which the caller can read texts.
   */
  @Override
  public void prepareAhead() {
    EmbeddingModel first = anotherForQueries().orElse(this);
    if (first.isCoreMl() || PreparedModel.isThere(source, first.network, cacheFolder)) {
      return;
    }
    Runnable preparing =
        () -> {
          try {
            NativeLibraries.open(
                "the embedding model",
                cacheFolder,
                () -> PreparedModel.of(source, first.network, cacheFolder));
          } catch (RuntimeException e) {
            // Opening the model later reports the fault.
          }
        };
    Thread.ofPlatform().daemon().name("model").start(preparing);
  }

  private MiniLm prepared() throws IOException, OrtException {
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
              return new MiniLm(tokenizer, new TokenBatches(model, threads), provenance);
            });
  }

  private void requireCoreMl() {
    if (!CoreMlModel.isAvailable()) {
      throw new EmbeddingException(
          "embed.provider is coreml, but ONNX Runtime has no CoreML on "
              + System.getProperty("os.name")
              + ": set embed.provider to auto or cpu");
    }
    if (settings.precision() == Precision.INT8) {
      throw new EmbeddingException(
          "embed.provider is coreml, which does not run embed.precision int8: change one of these"
              + " two settings");
    }
  }

  private boolean isCoreMl() {
    return settings.provider() == ExecutionProvider.COREML;
  }
}
