package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.embed.encoder.Encoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The embedding model that the settings lead to, found but not loaded: a run that has nothing to
 * embed needs its id and arithmetic only, and loads no native library.
 *
 * <p>One machine has one kind of arithmetic for all texts and queries. Where the settings leave it
 * open, a trial of some seconds decides, once for this machine, model and runtime.
 */
public final class EmbeddingModel {

  /** So many times as fast as fp32, and more, is worth other arithmetic: trials differ by less. */
  public static final double WORTH = 1.15;

  /** Part of the id: changes when the same files would give other vectors. */
  private static final String RECIPE = "mean pooling 1";

  private static final String CORE_ML = "CoreML";

  /**
   * How it is computed.
   *
   * @param network what a CPU runs
   * @param isCoreMl whether CoreML runs the export instead
   */
  private record Way(CpuNetwork network, boolean isCoreMl) {
    static final Way PLAIN = new Way(CpuNetwork.FUSED, false);
    static final Way ON_CORE_ML = new Way(CpuNetwork.FUSED, true);

    static Way ofEightBits() {
      return new Way(CpuNetwork.ofEightBits(), false);
    }
  }

  private final EmbedSettings settings;
  private final Path cacheFolder;
  private final ModelSource source;
  private final String id;

  /** Null before it was asked for: it may take a trial. */
  private Way way;

  private EmbeddingModel(EmbedSettings settings, Path cacheFolder, ModelSource source) {
    this.settings = settings;
    this.cacheFolder = cacheFolder;
    this.source = source;
    this.id =
        Sha256.of(
                String.join(
                    "\n",
                    RECIPE,
                    source.graphHash(),
                    source.tokenizerHash(),
                    Arithmetic.FP32.name(),
                    Integer.toString(settings.maxTokens())))
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
        settings, cacheFolder, ModelSource.find(settings.models(), cacheFolder));
  }

  /**
   * 32 hexadecimal digits from model, tokenizer and token limit: with it texts and findings are
   * named, whatever computes their vectors.
   */
  public String id() {
    return id;
  }

  /**
   * What computes the vectors. The first time on a machine this may take seconds, load the model
   * and write to the cache folder.
   *
   * @throws EmbeddingException when that fails, or the settings contradict each other
   */
  public Arithmetic arithmetic() {
    return Arithmetic.of(name(way()));
  }

  private static String name(Way way) {
    return way.isCoreMl ? CORE_ML : way.network.id();
  }

  private synchronized Way way() {
    if (way == null) {
      Way found = chosen().orElseGet(this::faster);
      if (Thread.currentThread().isInterrupted()) {
        return found; // perhaps of a trial that did not end
      }
      way = found;
    }
    return way;
  }

  /** The way that the settings name; empty where a trial decides. */
  private Optional<Way> chosen() {
    boolean isCoreMl = settings.provider() == ExecutionProvider.COREML;
    return switch (settings.precision()) {
      case FP32 -> Optional.of(isCoreMl ? Way.ON_CORE_ML : Way.PLAIN);
      case AUTO -> Optional.of(Way.ON_CORE_ML).filter(way -> isCoreMl);
      case INT8 -> {
        if (isCoreMl) {
          throw new EmbeddingException(
              "embed.provider is coreml, which runs embed.precision fp32 only: change one of them");
        }
        yield Optional.of(Way.ofEightBits());
      }
    };
  }

  private Way faster() {
    return trial().filter(verdict -> verdict.gain() >= WORTH).isPresent()
        ? candidate().orElseThrow()
        : Way.PLAIN;
  }

  /** What may be faster than fp32: on a Mac CoreML, elsewhere bytes by machine code. */
  private Optional<Way> candidate() {
    return settings.provider() == ExecutionProvider.AUTO && PackedLibraries.os().equals("osx")
        ? Optional.of(Way.ON_CORE_ML)
        : Optional.of(Way.ofEightBits()).filter(way -> Encoder.isAvailable());
  }

  /**
   * How much faster other arithmetic is than fp32: what was found before on this machine, else a
   * trial. Empty where the settings leave nothing to choose, or the machine has none.
   *
   * @throws EmbeddingException when fp32 fails
   */
  public Optional<SpeedTrial.Verdict> trial() {
    return chosen().isPresent() ? Optional.empty() : candidate().map(this::trial);
  }

  private SpeedTrial.Verdict trial(Way other) {
    int threads = Runtime.getRuntime().availableProcessors();
    List<String> texts = ProbeTexts.window();
    SpeedTrial trial =
        other.isCoreMl
            ? new SpeedTrial(CORE_ML, SpeedTrial.SAME, System::nanoTime)
            : new SpeedTrial(other.network.describe(), PreparedModel.INT8_BOUND, System::nanoTime);
    return trial.remembered(
        ProviderSelection.trials(cacheFolder),
        source.graphHash(),
        () -> open(Way.PLAIN, threads),
        () -> open(other, threads),
        model -> model.embedAll(texts));
  }

  /** For people: which model, precision and limit. */
  public String describe() {
    String precision =
        switch (way().network) {
          case ENCODER, FUSED_INT8 -> ", eight-bit";
          case FUSED, EXPORTED -> "";
        };
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
    return open(way(), threads);
  }

  private MiniLm open(Way chosen, int threads) {
    return NativeLibraries.open(
        "the embedding model", cacheFolder, () -> prepared(chosen, threads));
  }

  private MiniLm prepared(Way chosen, int threads) throws IOException, OrtException {
    ProviderSelection providers = new ProviderSelection(settings.provider(), cacheFolder);
    providers.wantsCoreMl(); // which says so where it cannot be had
    PreparedModel prepared = PreparedModel.of(source, chosen.network, cacheFolder);
    String graph = prepared.network().describe() + ", " + prepared.why();
    MiniLm.Provenance provenance =
        chosen.isCoreMl
            ? new MiniLm.Provenance("as exported, for CoreML", CORE_ML)
            : new MiniLm.Provenance(graph, "CPU");
    return Tokenizer.open(prepared.tokenizer(), settings.maxTokens())
        .into(
            tokenizer -> {
              TokenModel model =
                  chosen.isCoreMl
                      ? providers.coreMl(
                          source.placement().locate().graph(),
                          source.graphHash(),
                          Pooling.UNIT_MEAN)
                      : prepared.network().open(prepared.file(), Pooling.UNIT_MEAN);
              return new MiniLm(tokenizer, model, threads, provenance);
            });
  }
}
