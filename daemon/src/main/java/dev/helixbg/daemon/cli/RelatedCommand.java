package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.RelatedAnswer;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.search.AlreadySaid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Whether a text is said already, asked before it is stored: of the daemon, else here. */
@Command(
    name = "related",
    description =
        "Check a text before you store it: whether an entry already says it or contradicts"
            + " it. Lists the nearest entries, too.")
final class RelatedCommand extends ConsoleCommand {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(
      arity = "1..*",
      paramLabel = "TEXT",
      description = "Text to be stored; - reads it from standard input.")
  private List<String> words;

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      defaultValue = "5",
      description = "Most entries to show (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Topic under which the text would be stored.")
  private String topic = "";

  @Option(
      names = "--json",
      description =
          "Print JSON: one line for each entry, then a line with alreadySaid (yes,"
              + " contradicts, perhaps, no, unknown), the entry, its title and the probability.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> left = kb.afterFolder(words);
    String text = left.equals(List.of("-")) ? standardInput() : String.join(" ", left);
    if (text.isBlank() || text.length() > SearchRequest.MAX_TEXT) {
      throw Failure.usage("TEXT must have 1 to %,d characters".formatted(SearchRequest.MAX_TEXT));
    }
    SearchRequest.checkLimit(limit);
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    DaemonLink link = GlobalOptions.daemon();
    RelatedAnswer answer =
        link.watches(chosen) ? ask(link, chosen, text) : here(chosen, text, settings);
    if (json) {
      answer.toJson().forEach(console.json()::println);
    } else {
      console.say("%s", words(answer));
      SearchCommand.print(answer.nearest(), console);
    }
    answer.unread().ifPresent(why -> console.warn("vectors alone tell that: %s", why));
    return ExitCode.OK.number();
  }

  private static String standardInput() throws IOException {
    return new String(System.in.readNBytes(4 * SearchRequest.MAX_TEXT + 1), StandardCharsets.UTF_8);
  }

  private RelatedAnswer ask(DaemonLink link, Kb chosen, String text) throws IOException {
    ObjectNode request =
        DaemonLink.request("related")
            .put("kb", chosen.folder().toString())
            .put("text", text)
            .put("topic", topic)
            .put("limit", limit);
    return RelatedAnswer.of(link.ask(request, Duration.ofMinutes(1)));
  }

  private RelatedAnswer here(Kb chosen, String text, Settings settings)
      throws InterruptedException {
    Entry asked = RelatedAnswer.unstored(topic, text);
    try (KbStores stores = stores(settings)) {
      return RelatedAnswer.of(
          asked,
          SearchCommand.here(
              stores, chosen, RelatedAnswer.request(asked, limit), settings, Progress.on(console)),
          limit,
          settings,
          Optional.of(PairSource.located(settings)));
    }
  }

  private static String words(RelatedAnswer answer) {
    AlreadySaid said = answer.said();
    String likely =
        said.probability().isPresent()
            ? " (%.0f %%)".formatted(100 * said.probability().getAsDouble())
            : "";
    String entry = said.entry().map(name -> answer.title().orElse(name) + "  " + name).orElse("");
    return switch (said.answer()) {
      case YES -> "already said: " + entry + likely;
      case CONTRADICTS -> "contradicts: " + entry + likely;
      case NO -> "new" + likely;
      case UNKNOWN -> "unknown: " + said.differs().orElse("not all entries are indexed");
      case PERHAPS ->
          "perhaps said already: read the nearest"
              + (entry.isEmpty() ? "" : ", first: " + entry + likely)
              + said.differs().map(what -> "; " + what).orElse("");
    };
  }
}
