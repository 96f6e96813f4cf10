package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.RelatedAnswer;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.TerminalProgress;
import dev.helixbg.embed.PairModel;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The daemon answers if it watches the knowledge base; otherwise this process answers. */
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
      description = "Maximum number of entries to show (default: ${DEFAULT-VALUE}).")
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
    List<? extends JsonNode> answer;
    Entry asked = RelatedAnswer.unstored(topic, text);
    SearchRequest request = RelatedAnswer.request(asked, limit);
    try (KbStores stores = stores(settings);
        DirectSearch direct = new DirectSearch(stores, settings)) {
      DaemonLink link = GlobalOptions.daemon();
      Kb chosen = direct.find(kb, link);
      answer =
          link.watches(chosen)
              ? ask(link, chosen, text)
              : RelatedAnswer.of(
                      asked,
                      direct.search(chosen, request, TerminalProgress.on(console)),
                      limit,
                      settings,
                      Optional.of(new PairModel(settings.cache(), settings.threads())))
                  .toJson();
    }
    if (json) {
      answer.forEach(console.json()::println);
    } else {
      console.say("%s", words(answer.getLast()));
      SearchCommand.print(answer, console);
    }
    if (answer.getLast().has("unread")) {
      console.warn(
          "this answer rests on vectors alone: %s", answer.getLast().path("unread").asText());
    }
    return ExitCode.OK.number();
  }

  private static String standardInput() throws IOException {
    return new String(System.in.readNBytes(4 * SearchRequest.MAX_TEXT + 1), StandardCharsets.UTF_8);
  }

  private List<JsonNode> ask(DaemonLink link, Kb chosen, String text) {
    ObjectNode request =
        DaemonLink.request("related")
            .put("kb", chosen.folder().toString())
            .put("text", text)
            .put("topic", topic)
            .put("limit", limit);
    return link.ask(request, Duration.ofMinutes(1));
  }

  private static String words(JsonNode said) {
    String likely =
        said.has("probability")
            ? " (%.0f %%)".formatted(100 * said.path("probability").asDouble())
            : "";
    String name = said.path("entry").asText();
    String entry = name.isEmpty() ? "" : said.path("title").asText(name) + "  " + name;
    String differs = said.path("differs").asText();
    return switch (said.path("alreadySaid").asText()) {
      case "yes" -> "already said: " + entry + likely;
      case "contradicts" -> "contradicts: " + entry + likely;
      case "no" -> "new" + likely;
      case "unknown" -> "unknown: " + (differs.isEmpty() ? "not all entries are indexed" : differs);
      default ->
          "perhaps already said: read the nearest entries"
              + (entry.isEmpty() ? "" : ", first: " + entry + likely)
              + (differs.isEmpty() ? "" : "; " + differs);
    };
  }
}
