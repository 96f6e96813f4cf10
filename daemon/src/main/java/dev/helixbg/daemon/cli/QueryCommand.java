package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.EmbedderHost;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.server.KbRequests;
import dev.helixbg.daemon.terminal.TerminalProgress;
import dev.helixbg.embed.store.StoreException;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds the entries nearest to a text. Asks the daemon for them if the daemon watches the KB. */
abstract class QueryCommand extends ConsoleCommand {
  protected final KbOption kb = new KbOption();

  protected int limit;
  protected boolean json;

  private List<String> words;
  private CommandSpec spec;

  /** Declares the options that all subclasses have; {@code usual} is the default of --limit. */
  final void declare(Declaration to, String ofText, int usual, String ofJson) {
    spec = to.spec();
    spec.parser().unmatchedOptionsArePositionalParams(true); // a text may begin with -
    to.add(options, kb);
    to.arguments("1..*", "TEXT", ofText, String.class, given -> words = given);
    to.option(
        "-n, --limit=N",
        "Maximum number of entries to show (default: ${DEFAULT-VALUE}).",
        usual,
        given -> limit = given);
    to.flag("--json", ofJson, given -> json = given);
  }

  /** Joins the words to one text; refuses a word that looks like an option, unless -- was given. */
  final String text() {
    CommandLine line = spec.commandLine();
    Optional<String> option =
        words.stream().filter(word -> word.matches("(?s)--?\\w(\\S*|[\\w-]*=.*)")).findFirst();
    if (option.isPresent() && !line.getParseResult().originalArgs().contains("--")) {
      throw new UnmatchedArgumentException(line, List.of(option.get()));
    }
    return String.join(" ", kb.afterFolder(words));
  }

  final List<? extends JsonNode> ask(ObjectNode request) throws InterruptedException {
    SearchRequest.checkText("TEXT", request.path("text").asText());
    SearchRequest.checkLimit(request.path("limit").asInt());
    Settings settings = options.load().settings();
    try (KbHost host = KbHost.of(settings, line -> console.warn("%s", line))) {
      DaemonLink link = GlobalOptions.daemon();
      Kb chosen = kb.locate(settings);
      if (!link.mayRun()) {
        host.embedder().likelyForQueries().openAhead(); // on another thread
      }
      kb.refresh();
      request.put("kb", chosen.folder().toString());
      if (link.watches(chosen)) {
        return link.ask(request, Duration.ofMinutes(1));
      }
      host.embedder().likelyForQueries().openAhead(); // was skipped above if a daemon might run
      embed(host.stores().of(chosen), host.embedder());
      return new KbRequests(host, List.of(chosen), () -> {}).answerAsRead(request);
    }
  }

  private void embed(KbStore store, EmbedderHost source) throws InterruptedException {
    if (store.hasLayout(source.ids(), source.maxTokens())) {
      return;
    }
    LogReading log = DataLog.readQuiet(store.kb().dataLog());
    try (EmbeddingStage stages =
        new EmbeddingStage(store.database(), source, TerminalProgress.on(console), log)) {
      source.forQueries(stages.way()).openAhead();
      stages.run();
      try {
        stages.keepLayout(log.account().sha256());
      } catch (StoreException e) {
        // The search can go on. Without the saved layout, the next search is slower.
      }
    }
  }
}
