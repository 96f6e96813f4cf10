package dev.helixbg.embed;

import dev.helixbg.config.EmbedSettings;
import dev.helixbg.config.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import java.nio.file.Path;

/**
 * The embedding model that the settings lead to, found but not loaded: a run that has nothing to
 * embed needs its id only, and loads no native library.
 */
public final class EmbeddingModel {

  /** Part of the id: changes when the same files would give other vectors. */
  private static final String RECIPE = "mean pooling 1";

  private final EmbedSettings settings;
  private final Path cacheFolder;
  private final ModelSource source;
  private final String id;

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
                    settings.precision().name(),
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
   * 32 hexadecimal digits that are the same wherever the same text gets the same vector: from
   * model, tokenizer, precision and token limit.
   */
  public String id() {
    return id;
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
    return new ModelLoader(source, settings, cacheFolder).open(threads);
  }
}
