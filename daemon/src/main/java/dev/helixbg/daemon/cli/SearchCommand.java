package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.EmbedderHost;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.search.SearchIndex;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds entries by what they mean: by the daemon when it runs, else by itself. */
@Command(name = "search", description = "Find the entries nearest in meaning to a text.")
final class SearchCommand extends ConsoleCommand {
  private static final int EXCERPT = 200;

  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(arity = "1..*", paramLabel = "TEXT", description = "Text to search for.")
  private List<String> words;

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "10",
      description = "Most entries to show (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--offset",
      paramLabel = "N",
      defaultValue = "0",
      description = "Number of best entries to skip, such as those of earlier pages (default: 0).")
  private int offset;

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Search this topic only.")
  private String topic;

  @Option(
      names = "--json",
      description =
          "Print JSON: one line for each entry, then a line with the number of indexed entries.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> text = kb.afterFolder(words);
    if (text.isEmpty()) {
      throw Failure.usage("what is looked for is missing: TEXT");
    }
    SearchRequest request =
        new SearchRequest(String.join(" ", text), Optional.ofNullable(topic), offset, limit);
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    SearchAnswer answer = answer(chosen, request, settings);
    if (topic != null && answer.hits().isEmpty()) {
      String meant = KbTopics.require(chosen, topic);
      if (!meant.equals(topic)) { // it has the other Unicode form
        answer =
            answer(
                chosen,
                new SearchRequest(request.text(), Optional.of(meant), offset, limit),
                settings);
      }
    }
    print(answer);
    return ExitCode.OK.number();
  }

  private SearchAnswer answer(Kb chosen, SearchRequest request, Settings settings)
      throws IOException, InterruptedException {
    Optional<SearchAnswer> answered = askDaemon(chosen, request);
    return answered.isPresent() ? answered.get() : here(chosen, request, settings);
  }

  /** Empty when no daemon runs that watches this KB. */
  private Optional<SearchAnswer> askDaemon(Kb chosen, SearchRequest wanted) throws IOException {
    DaemonLink link = GlobalOptions.daemon();
    if (!link.watches(chosen)) {
      return Optional.empty();
    }
    ObjectNode request =
        DaemonLink.request("search")
            .put("kb", chosen.folder().toString())
            .put("text", wanted.text())
            .put("offset", wanted.from())
            .put("limit", wanted.limit());
    wanted.topic().ifPresent(name -> request.put("topic", name));
    return Optional.of(SearchAnswer.of(link.ask(request, Duration.ofMinutes(1))));
  }

  private SearchAnswer here(Kb chosen, SearchRequest wanted, Settings settings)
      throws InterruptedException {
    try (KbStores stores = stores(settings)) {
      return here(stores, chosen, wanted, settings, Progress.on(console));
    }
  }

  /** Without a daemon. Texts that have no vector yet get one, which is kept. */
  static SearchAnswer here(
      KbStores stores, Kb chosen, SearchRequest wanted, Settings settings, Progress.Display display)
      throws InterruptedException {
    try (EmbedderHost source =
        new EmbedderHost(EmbedderSource.located(settings), DaemonClock.SYSTEM)) {
      if (source.isForAllQueries()) {
        source.openAhead();
      }
      KbStore store = stores.of(chosen);
      LogReading log = DataLog.readQuiet(store.kb().dataLog());
      source.likelyForQueries(log.entries().size()).openAhead();
      EmbeddingStage.Result known;
      try (EmbeddingStage stages =
          new EmbeddingStage(store.database(), source, display, log.entries())) {
        source.forQueries(stages.way()).openAhead();
        known = stages.run();
      }
      try (SearchIndex index =
              SearchIndex.forOne(known.of(log), source.maxTokens(), wanted.text());
          Embedder embedder = source.forQueries(known.way()).open()) {
        float[] query = embedder.embedAll(List.of(wanted.text()))[0];
        return new SearchAnswer(
            index.search(List.of(wanted.query(query))).getFirst().stream()
                .map(SearchHit::of)
                .toList(),
            index.coverage());
      }
    }
  }

  private void print(SearchAnswer answer) throws IOException {
    if (json) {
      answer.toJson().forEach(console.json()::println);
      return;
    }
    print(answer, console);
  }

  /** For people. */
  static void print(SearchAnswer answer, Console console) {
    for (SearchHit hit : answer.hits()) {
      double words = hit.score() - hit.similarity();
      console.say(
          words < 0.0005 ? "%.3f  %s  %s" : "%.3f  %s  %s  (words: +%.3f)",
          hit.similarity(),
          PrintableText.line(hit.title()),
          hit.name(),
          words);
      console.say(
          "       %s%s",
          hit.passage().start() > 0 ? "… " : "", PrintableText.excerpt(hit.matched(), EXCERPT));
    }
    if (!answer.coverage().isWhole()) {
      console.warn("%s", answer.coverage().words());
    }
  }
}
