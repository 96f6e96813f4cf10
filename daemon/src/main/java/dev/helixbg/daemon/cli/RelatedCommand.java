package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.search.SearchRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

final class RelatedCommand extends QueryCommand {
  private String topic = "";

  @Override
  protected void declare(Declaration to) {
    declare(
        to,
        "Text to be stored; - reads it from standard input. Write -- before words that look like"
            + " options.",
        5,
        "Print JSON: one line for each entry, then a line with alreadySaid (yes, contradicts,"
            + " perhaps, no or unknown), the name and title of the entry that this answer is about,"
            + " and the probability.");
    to.description(
        "Check a text before you store it: whether an entry already says it or contradicts it."
            + " Lists the nearest entries, too.");
    to.option(
        "--topic=TOPIC", "Topic under which the text would be stored.", given -> topic = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    String text = text();
    ObjectNode request =
        DaemonLink.request("related")
            .put("text", text.equals("-") ? standardInput() : text)
            .put("topic", topic)
            .put("limit", limit);
    List<? extends JsonNode> answer = ask(request);
    if (json) {
      answer.forEach(console.json()::println);
    } else {
      console.say("%s", words(answer.getLast()));
      SearchCommand.print(answer, console);
    }
    if (answer.getLast().has("unread")) {
      console.warn(
          "no pair judge has checked this answer, which rests on vectors alone: %s",
          answer.getLast().path("unread").asText());
    }
  }

  private static String standardInput() throws IOException {
    return new String(System.in.readNBytes(4 * SearchRequest.MAX_TEXT + 1), StandardCharsets.UTF_8);
  }

  private static String words(JsonNode said) {
    String likely =
        said.has("probability")
            ? " (%.0f %%)".formatted(100 * said.path("probability").asDouble())
            : "";
    String name = said.path("entry").asText();
    String entry = name.isEmpty() ? "" : said.path("title").asText(name) + "  " + name;
    String reason = said.path("differs").asText();
    String differs = reason.isEmpty() ? "" : "; " + reason;
    return switch (said.path("alreadySaid").asText()) {
      case "yes" -> "already said: " + entry + likely;
      case "contradicts" -> "contradicts: " + entry + likely + differs;
      case "no" -> "new" + likely;
      case "unknown" -> "unknown: " + (reason.isEmpty() ? "not all entries are indexed" : reason);
      default ->
          "perhaps already said: read the nearest entries"
              + (entry.isEmpty() ? "" : ", first: " + entry + likely)
              + differs;
    };
  }
}
