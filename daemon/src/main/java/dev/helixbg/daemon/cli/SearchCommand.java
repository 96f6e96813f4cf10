package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.terminal.Console;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "search", description = "Find the entries nearest in meaning to a text.")
final class SearchCommand extends QueryCommand {
  private static final int EXCERPT = 200;

  @Parameters(
      arity = "1..*",
      paramLabel = "TEXT",
      description = "Text to search for; write -- before words that look like options.")
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
      description = "Number of entries to skip at the beginning of the list (default: 0).")
  private int offset;

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Search this topic only.")
  private String topic;

  @Option(
      names = "--json",
      description =
          "Print JSON: one line for each entry, then a line with the number of indexed entries.")
  private boolean json;

  @Override
  protected void run() throws InterruptedException {
    ObjectNode request =
        DaemonLink.request("search")
            .put("text", text(words))
            .put("topic", topic)
            .put("offset", offset)
            .put("limit", limit);
    List<? extends JsonNode> answer = ask(request);
    if (json) {
      answer.forEach(console.json()::println);
    } else {
      print(answer, console);
    }
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
