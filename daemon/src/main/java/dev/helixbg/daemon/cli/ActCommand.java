package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.files.Whole;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.ActRun;
import dev.helixbg.daemon.tidy.HelixServer;
import dev.helixbg.daemon.tidy.NoteRun;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.PositionalParamSpec;

final class ActCommand extends JsonCommand {
  private final KbOption kb = new KbOption();
  private List<String> words = List.of();
  private String as;
  private String keep;
  private boolean run;
  private boolean dryRun;
  private boolean undo;
  private String plan;
  private List<String> marked = List.of();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Show how to make the edit that a finding suggests, in the present state of the knowledge"
            + " base: list the calls of helix's tools or, with --notes, describe the edits of each"
            + " file. Nothing is changed, except with --run or --undo.",
        "To make the edit yourself, first make the checks in the lines 'check'. Then follow the"
            + " lines 'look' and 'call' in their order: run the command in each line 'look', and"
            + " make the call of helix in each line 'call'. If one of them fails, another program"
            + " has written to the knowledge base: stop there. At the end, run: helix-bg done ID.",
        "With --run, helix makes the calls. helix-bg then checks that the log contains the"
            + " changes, and marks the finding as done. In a memory file, helix-bg itself removes"
            + " or replaces items.");
    to.add(options, kb);
    to.addAll(
        PositionalParamSpec.builder()
            .arity("0..*")
            .paramLabel("ID")
            .hideParamSyntax(true)
            .description("Id of the finding. 'helix-bg findings' lists the ids."),
        String.class,
        given -> words = given);
    to.option(
        "--as=WHAT", "Your verdict on a pair: same, overtaken or related.", given -> as = given);
    to.option(
        "--keep=SIDE",
        "Which entry of a pair to keep: a or b, as 'helix-bg findings ID' names the two entries."
            + " Default: the more detailed entry, or the newer entry if the verdict is overtaken.",
        given -> keep = given);
    to.flag(
        "--run",
        "Make the edit through the program helix (the setting helix.command, else helix on PATH)."
            + " The exit code tells the result: 0, 9, 10 or 11.",
        given -> run = given);
    to.flag(
        "--dry-run",
        "With --run: show the changes, but do not make them.",
        given -> dryRun = given);
    to.flag(
        "--undo",
        "Put back the items that 'act --run' or 'tidy' has removed from a memory file.",
        given -> undo = given);
    to.option(
        "--plan=PLAN",
        "Only check whether the calls that 'act' has printed are still valid. The output of"
            + " 'act' has PLAN, the id of these calls, in the lines 'look'.",
        given -> plan = given);
    to.list(
        "--marked=MARKS",
        "Only check whether each entry still ends in its mark, the line that an earlier call has"
            + " appended to it. Check this before you remove or rewrite the entries. 'act' prints"
            + " this option with its value, MARKS.",
        String.class,
        given -> marked = given);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    List<String> ids = kb.withoutFolder(words, Decision::isId);
    if (ids.size() != 1) {
      throw Failure.usage("name the ID of exactly one finding");
    }
    Kb chosen = kb.find(settings);
    if (run && (plan != null || !marked.isEmpty())) {
      throw Failure.usage("leave out --plan and --marked: --run makes these checks itself");
    }
    if (undo && (run || dryRun)) {
      throw Failure.usage("--undo is carried out at once: leave out --run and --dry-run");
    }
    String id = ids.getFirst();
    ObjectNode request =
        Json.object().put("id", id).put("as", as).put("keep", keep).put("plan", plan);
    request.put("marked", marked.isEmpty() ? null : String.join(" ", marked));
    request.removeIf(JsonNode::isNull);
    try (KbStores stores = stores(settings)) {
      ActRun acts = new ActRun(stores.of(chosen), settings, EmbeddingModel.locate(settings).id());
      Optional<NoteRun> files = NotesKb.of(chosen, settings).map(notes -> new NoteRun(acts, notes));
      if (undo) {
        NoteRun kept =
            files.orElseThrow(
                () -> Failure.usage("--undo is for memory files: name the folder with --notes"));
        request.put("do", "take back " + id);
        return told(request, Whole.of(() -> kept.takeBack(id)), chosen);
      }
      ObjectNode act = acts.findings().act(request);
      if (run && !dryRun) {
        return act.path("edits").isEmpty()
            ? run(acts, act, chosen)
            : told(act, Whole.of(() -> files.orElseThrow().run(request, act)), chosen);
      }
      show(() -> act, () -> print(act));
    }
    return ExitCode.OK.number();
  }

  private int run(ActRun acts, ObjectNode act, Kb chosen) throws IOException, InterruptedException {
    if (act.has("choose")) {
      String ways =
          act.path("choose")
              .valueStream()
              .map(one -> one.at("/if/0").asText() + ": " + one.path("do").asText())
              .collect(Collectors.joining("; "));
      throw Failure.usage(
          "several edits are possible%s. Choose one with --as, --keep a or --keep b. Edits: %s"
              .formatted(act.has("why") ? ", because " + act.path("why").asText() : "", ways));
    }
    if (act.has("byHand")) {
      // for notes, byHand also has the words of the edit
      String what = act.has("folder") ? "" : act.path("do").asText() + ", ";
      throw new Failure(ExitCode.UNDONE, what + "by hand: " + act.path("byHand").asText());
    }
    Path program =
        HelixServer.find(acts.settings(), System.getenv().getOrDefault("PATH", ""))
            .orElseThrow(
                () ->
                    new Failure(
                        ExitCode.UNDONE,
                        "there is no helix on PATH, and the setting helix.command is empty: without"
                            + " --run, 'helix-bg act' shows the calls to make"));
    interruption.waitAtMost(ActRun.LONGEST);
    ActRun.Outcome outcome =
        Whole.of(
            () -> {
              try (HelixServer helix = HelixServer.start(program, chosen)) {
                return acts.run(act, helix);
              }
            });
    return told(act, outcome, chosen);
  }

  private int told(ObjectNode act, ActRun.Outcome outcome, Kb chosen) throws IOException {
    GlobalOptions.daemon().hint(chosen);
    ObjectNode json = outcome.toJson();
    json.setAll((ObjectNode) act.deepCopy().retain("id", "kind", "do"));
    show(() -> json, () -> print(act, outcome));
    return outcome.state().code().number();
  }

  private void print(JsonNode act, ActRun.Outcome outcome) {
    // "undone" could also mean that an undo was carried out
    say(
        outcome.state() == ActRun.State.UNDONE ? "not done" : Json.word(outcome.state()),
        act.path("do").asText());
    if (!outcome.why().isEmpty()) {
      say("why", outcome.why());
      outcome.made().forEach(call -> say("made", call.toString()));
      outcome.marks().forEach(mark -> say("remove line", mark));
    }
    outcome.undo().forEach(call -> say("undo", call.toString()));
  }

  private void print(JsonNode act) {
    for (JsonNode choice : act.path("choose")) {
      say("--as " + choice.at("/if/0").asText(), choice.path("do").asText());
    }
    if (act.has("why")) {
      say("why", act.path("why").asText());
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
    for (JsonNode edit : act.path("edits")) {
      say("file", edit.path("file").asText());
      for (JsonNode span : edit.path("spans")) {
        span.path("was").asText().lines().forEach(line -> say("  goes", line));
        span.path("is").asText().lines().forEach(line -> say("  comes", line));
      }
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
      say("holds", "the listed calls are still valid: make the next call at once");
    }
    act.path("losses").forEach(loss -> say("lost", loss.asText()));
    act.path("undo").forEach(call -> say("undo", call.toString()));
  }

  private static String own(JsonNode arguments) {
    StringBuilder command = new StringBuilder(arguments.path("id").asText());
    for (String option : List.of("as", "keep", "plan", "marked")) {
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
