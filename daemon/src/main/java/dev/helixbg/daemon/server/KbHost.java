package dev.helixbg.daemon.server;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderHost;
import dev.helixbg.daemon.host.PairHost;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.daemon.search.SearchService;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairSource;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The stores, models and search service that all knowledge bases of a process share, opened at
 * their first use.
 */
public record KbHost(
    Settings settings,
    DaemonClock clock,
    DaemonMetrics metrics,
    KbStores stores,
    EmbedderHost embedder,
    Optional<PairHost> pairs,
    SearchService searches)
    implements AutoCloseable {

  /** Returns a host with the models named in the settings. */
  public static KbHost of(Settings settings, Consumer<String> warnings) {
    return of(
        settings,
        EmbeddingModel.locate(settings),
        Optional.of(new PairModel(settings.cache(), settings.threads())),
        DaemonClock.SYSTEM,
        warnings);
  }

  /**
   * Returns a host with the given models.
   *
   * @param warnings receives messages for the user, for instance that a KB was moved
   */
  public static KbHost of(
      Settings settings,
      EmbedderSource source,
      Optional<PairSource> pairs,
      DaemonClock clock,
      Consumer<String> warnings) {
    DaemonMetrics metrics = new DaemonMetrics();
    KbStores stores = new KbStores(settings, warnings);
    EmbedderHost embedder = new EmbedderHost(source, clock);
    return new KbHost(
        settings,
        clock,
        metrics,
        stores,
        embedder,
        pairs.map(judge -> new PairHost(judge, clock)),
        new SearchService(embedder, stores::of, metrics));
  }

  /**
   * Returns a pipeline in which the pair judges read pairs, but no language model is asked. {@code
   * reading} and {@code embedding} show the progress.
   */
  public Pipeline pipeline(
      Pipeline.Analyst analyst,
      Progress.Display reading,
      Progress.Display embedding,
      Consumer<String> warnings) {
    return new Pipeline(
        settings,
        embedder,
        analyst,
        new RerankingStage(pairs, settings.threads(), reading, warnings),
        JudgingStage.withoutAsking(settings),
        embedding);
  }

  /** Releases models that were idle for the configured time; returns whether it released any. */
  public boolean releaseUnused() {
    Optional<Duration> idle = settings.daemon().embedderIdle();
    boolean released = embedder.releaseAfter(idle);
    return released | pairs.filter(judge -> judge.releaseAfter(idle)).isPresent();
  }

  @Override
  public void close() {
    searches.close();
    embedder.close();
    pairs.ifPresent(PairHost::close);
    stores.close();
  }
}
