package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows how a finding is carried out, by helix or by hand, in the knowledge base as it is now. */
@Command(
    name = "act",
    description = {
      "Show how a finding is carried out, in the knowledge base as it is now: as calls of helix's"
          + " own tools, or, of a folder of notes (--notes), in words: what to edit in which file."
          + " Nothing is changed.",
      "Of calls, make the checks first, then the looks and calls in their order, and stop where one"
          + " fails: somebody has written meanwhile. Then say: helix-bg done ID."
    })
final class ActCommand extends JsonCommand {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(
      arity = "0..*",
      paramLabel = "ID",
      hideParamSyntax = true,
      description = "Id of a finding, as 'helix-bg findings' lists it.")
  private List<String> words = List.of();

  @Option(
      names = "--as",
      paramLabel = "WHAT",
      description = "What you found a pair to be: same, overtaken, related.")
  private String as;

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description =
          "Only look whether the calls of this plan are right still. Which plan: as one of the"
              + " looks says it.")
  private String plan;

  @Option(
      names = "--marked",
      paramLabel = "MARKS",
      split = ",",
      description =
          "Only look whether these marks are where they should be, before entries go. Which marks:"
              + " as one of the looks says it.")
  private List<String> marked = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    List<String> ids = kb.withoutFolder(words, Decision::isId);
    if (ids.size() != 1) {
      throw Failure.usage("one finding at a time is carried out: name its ID");
    }
    Kb chosen = kb.find(settings);
    ObjectNode request = Json.object().put("id", ids.getFirst());
    if (as != null) {
      request.put("as", as);
    }
    if (plan != null) {
      request.put("plan", plan);
    }
    if (!marked.isEmpty()) {
      request.put("marked", String.join(" ", marked));
    }
    ObjectNode[] act = new ObjectNode[1];
    try (KbStores stores = stores(settings)) {
      FindingRequests.of(stores.of(chosen), settings, EmbedderSource.located(settings).id())
          .act(request, answer -> act[0] = answer);
    }
    show(() -> act[0], () -> print(act[0]));
    return ExitCode.OK.number();
  }

  private void print(JsonNode act) {
    for (JsonNode choice : act.path("choose")) {
      say("--as " + choice.at("/if/0").asText(), choice.path("do").asText());
    }
    if (act.has("do")) {
      say("act", act.path("do").asText());
    }
    if (act.has("folder")) {
      say("in", act.path("folder").asText());
    }
    if (act.has("byHand")) {
      say("by hand", act.path("byHand").asText());
    }
    for (JsonNode check : act.path("checks")) {
      say("check", "%s counts %d".formatted(check.path("call"), check.path("entries").asInt()));
    }
    for (JsonNode call : act.path("calls")) {
      if (call.path("name").asText().equals("act")) {
        say("look", "helix-bg act " + own(call.path("arguments")) + kb.again());
      } else {
        say("call", call.toString());
      }
    }
    if (act.path("holds").asBoolean()) {
      say("holds", "go on with the next call, at once");
    }
    act.path("losses").forEach(loss -> say("lost", loss.asText()));
    act.path("undo").forEach(call -> say("undo", call.toString()));
  }

  /** A look of helix-bg's own, as it is typed. */
  private static String own(JsonNode arguments) {
    StringBuilder command = new StringBuilder(arguments.path("id").asText());
    for (String option : List.of("as", "plan", "marked")) {
      if (arguments.has(option)) {
        command.append(" --").append(option).append(' ');
        command.append(arguments.path(option).asText().replace(' ', ','));
      }
    }
    return command.toString();
  }

  private void say(String what, String text) {
    console.say("%-14s %s", what, PrintableText.json(text));
  }
}
