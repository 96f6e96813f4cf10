package dev.helixbg.daemon.cli;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.EmbedderHost;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.search.SearchIndex;
import java.util.List;
import java.util.Optional;

/** Searches a knowledge base in this process, without a daemon. */
final class DirectSearch implements AutoCloseable {
  private final KbStores stores;
  private final Settings settings;
  private final EmbedderHost source;

  DirectSearch(KbStores stores, Settings settings) {
    this.stores = stores;
    this.settings = settings;
    this.source = new EmbedderHost(EmbeddingModel.locate(settings), DaemonClock.SYSTEM);
  }

  /**
   * Returns the knowledge base that an option names, and brings its log up to date. If no daemon
   * can be running, other threads meanwhile open the store and the model that a search probably
   * needs.
   */
  Kb find(KbOption option, DaemonLink link) {
    Kb found = option.locate(settings);
    if (!link.mayRun()) {
      source.likelyForQueries().openAhead();
      stores.openAhead(found, store -> Optional.empty());
    }
    option.refresh();
    return found;
  }

  /**
   * Returns the entries nearest to a text. Entries and passages that have no vector yet are
   * embedded first, and the vectors are stored.
   */
  SearchAnswer search(Kb kb, SearchRequest wanted, Progress.Display display)
      throws InterruptedException {
    source.likelyForQueries().openAhead(); // find() skips this if a daemon may be running
    KbStore store = stores.of(kb);
    Optional<KbEntries> kept = store.entriesAsKept(source.ids(), source.maxTokens());
    KbEntries known = kept.isPresent() ? kept.get() : embedded(store, display);
    source.forQueries(known.way()).openAhead();
    Optional<String> topic =
        wanted
            .topic()
            .map(
                name ->
                    KbTopics.require(
                        kb, known.named().stream().map(one -> one.entry().topic()), name));
    try (SearchIndex index = SearchIndex.forOne(known, source.maxTokens(), wanted.text());
        Embedder embedder = source.forQueries(known.way()).open()) {
      float[] query = embedder.embedAll(List.of(wanted.text()))[0];
      return new SearchAnswer(
          index.search(List.of(wanted.query(query, topic))).getFirst().stream()
              .map(SearchHit::of)
              .toList(),
          index.coverage());
    }
  }

  private KbEntries embedded(KbStore store, Progress.Display display) throws InterruptedException {
    String seen = store.outputs().logState();
    LogReading log = DataLog.readQuiet(store.kb().dataLog());
    try (EmbeddingStage stages =
        new EmbeddingStage(store.database(), source, display, log.entries())) {
      source.forQueries(stages.way()).openAhead();
      KbEntries known = stages.run().of(log);
      try {
        stages.keepLayout(log.account().sha256());
        store.outputs().noteLog(seen, log.account().sha256());
      } catch (StoreException e) {
        // The search can go on. Without the saved layout, the next search is slower.
      }
      return known;
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
