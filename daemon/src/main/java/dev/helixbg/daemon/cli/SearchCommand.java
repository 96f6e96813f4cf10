package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NormalForm;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.TerminalProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The daemon answers if it watches the knowledge base; otherwise this process answers. */
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
      description = "Maximum number of entries to show (default: ${DEFAULT-VALUE}).")
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
  public Integer call() throws InterruptedException {
    // the model does not know full-width letters
    String text = NormalForm.of(String.join(" ", kb.afterFolder(words)));
    SearchRequest request = new SearchRequest(text, Optional.ofNullable(topic), offset, limit);
    Settings settings = options.load().settings();
    List<? extends JsonNode> answer;
    try (KbStores stores = stores(settings);
        DirectSearch direct = new DirectSearch(stores, settings)) {
      DaemonLink link = GlobalOptions.daemon();
      Kb chosen = direct.find(kb, link);
      answer =
          link.watches(chosen)
              ? ask(link, chosen, request)
              : direct.search(chosen, request, TerminalProgress.on(console)).toJson();
    }
    if (json) {
      answer.forEach(console.json()::println);
    } else {
      print(answer, console);
    }
    return ExitCode.OK.number();
  }

  private static List<JsonNode> ask(DaemonLink link, Kb chosen, SearchRequest wanted) {
    ObjectNode request =
        DaemonLink.request("search")
            .put("kb", chosen.folder().toString())
            .put("text", wanted.text())
            .put("offset", wanted.from())
            .put("limit", wanted.limit());
    wanted.topic().ifPresent(name -> request.put("topic", name));
    return link.ask(request, Duration.ofMinutes(1));
  }

  /** Prints the lines of {@link SearchAnswer#toJson} as text. */
  static void print(List<? extends JsonNode> answer, Console console) {
    for (JsonNode line : answer) {
      if (line.has("name")) {
        print(line, console);
      } else if (!SearchAnswer.coverage(line).isWhole()) {
        console.warn("%s", SearchAnswer.coverage(line).words());
      }
    }
  }

  private static void print(JsonNode hit, Console console) {
    double similarity = hit.path("similarity").asDouble();
    double words = hit.path("score").asDouble() - similarity;
    console.say(
        words < 0.0005 ? "%.3f  %s  %s" : "%.3f  %s  %s  (words: +%.3f)",
        similarity,
        PrintableText.line(hit.path("title").asText()),
        hit.path("name").asText(),
        words);
    console.say(
        "       %s%s",
        hit.at("/passage/start").asInt() > 0 ? "… " : "",
        PrintableText.excerpt(hit.at("/passage/text").asText(), EXCERPT));
  }
}
