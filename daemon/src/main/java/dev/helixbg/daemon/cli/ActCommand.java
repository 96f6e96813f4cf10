package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.cli.flags.ValueCommand;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.Seal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.PresentFindings;
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

/** Shows how a finding is carried out through helix, in the knowledge base as it is now. */
@Command(
    name = "act",
    description = {
      "Show how a finding is carried out: calls of helix's own tools, for the knowledge base as it"
          + " is now. Nothing is changed.",
      "Make the checks first; where one answers otherwise, somebody has written meanwhile: ask"
          + " again. Then make the calls in their order, and say: helix-bg done ID."
    })
final class ActCommand extends ValueCommand {
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
    ObjectNode[] act = new ObjectNode[1];
    FindingRequests.act(
        chosen,
        new SealedReports(new Seal(settings.cache())),
        PresentFindings.read(chosen, EmbedderSource.located(settings).id()),
        request,
        answer -> act[0] = answer);
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
    if (act.has("byHand")) {
      say("by hand", act.path("byHand").asText());
    }
    for (JsonNode check : act.path("checks")) {
      say(
          "check",
          "%s lists %d%s%s"
              .formatted(
                  check.path("call"),
                  check.path("listed").asInt(),
                  check.has("at") ? " at " + check.path("at") : "",
                  check.has("entries")
                      ? ", of %d entries".formatted(check.path("entries").asInt())
                      : ""));
    }
    act.path("calls").forEach(call -> say("call", call.toString()));
    act.path("losses").forEach(loss -> say("lost", loss.asText()));
    act.path("undo").forEach(call -> say("undo", call.toString()));
  }

  private void say(String what, String text) {
    console.say("%-14s %s", what, PrintableText.json(text));
  }
}
