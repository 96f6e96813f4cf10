package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.terminal.Console;
import java.util.List;

final class SearchCommand extends QueryCommand {
  private static final int EXCERPT = 200;
  private int offset;
  private String topic;

  @Override
  protected void declare(Declaration to) {
    declare(
        to,
        "Text to search for; write -- before words that look like options.",
        10,
        "Print JSON: one line for each entry, then a line with the number of indexed entries.");
    to.description("Find the entries nearest in meaning to a text.");
    to.option(
        "--offset=N",
        "Number of entries to skip at the beginning of the list (default: 0).",
        0,
        given -> offset = given);
    to.option("--topic=TOPIC", "Search this topic only.", given -> topic = given);
  }

  @Override
  protected void run() throws InterruptedException {
    ObjectNode request =
        DaemonLink.request("search")
            .put("text", text())
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
