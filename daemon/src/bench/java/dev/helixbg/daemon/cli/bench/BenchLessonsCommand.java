package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.lessons.LessonsBench;
import dev.helixbg.insight.lessons.LessonsBench.HeldOut;
import dev.helixbg.insight.lessons.LessonsBench.Named;
import dev.helixbg.insight.lessons.LessonsBench.PublicResult;
import dev.helixbg.insight.lessons.LessonsBench.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Measures which planted lessons are named as recurring lessons. */
final class BenchLessonsCommand extends JsonCommand {
  private String threads;
  private Path data = Path.of("insight/src/judge");

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Which lessons are named of those that were planted in 488 notes, with readers in the"
            + " place of the language model: what they wrote of each note, and said of pairs. Also"
            + " how many are named of public notes without planted ones.");
    to.add(options);
    to.option("--threads=N", "Threads; 0: one per core.", given -> threads = given);
    to.option(
        "--data=FOLDER",
        "Where the notes are, in a checkout; default: insight/src/judge.",
        Path.class,
        given -> data = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    Settings settings = options.settings(threads);
    if (!Files.isDirectory(data.resolve("lessons").resolve("trial"))) {
      throw new Failure(
          ExitCode.USAGE,
          "%s has no folder lessons/trial: run this in a checkout of helix-bg, or name insight/"
                  .formatted(data)
              + "src/judge of one with --data");
    }
    Result result = LessonsBench.run(data, settings.cache(), settings.threads());
    PublicResult publicNotes =
        LessonsBench.ofPublicNotes(data, settings.cache(), settings.threads());
    if (json) {
      ObjectNode all = toJson(result);
      all.set("public", toJson(publicNotes));
      console.json().println(all);
    } else {
      print(result);
      console.say(
          "public notes: %d lessons written by a reader, %d pairs of them asked about, %d of those"
              + " read by no one; named %d, of which wrong %d",
          publicNotes.sentences(),
          publicNotes.asked(),
          publicNotes.unread().size(),
          publicNotes.named().groups(),
          publicNotes.named().wrong());
    }
  }

  private void print(Result result) {
    console.say(
        "%d notes: %d lessons written by a reader (%d more are not taken), %d pairs of them asked"
            + " about, %d of those read by no one.",
        result.notes(),
        result.sentences(),
        result.refused(),
        result.asked(),
        result.unread().size());
    console.say(
        "share of a group: named, of %d planted, not planted but right, wrong", result.planted());
    result
        .bounds()
        .forEach(
            bound ->
                console.say(
                    "  %4.2f%s %3d, %2d, %2d, %2d",
                    bound.share(),
                    bound.share() == result.named().share() ? " (used)" : "       ",
                    bound.groups(),
                    bound.planted().size(),
                    bound.read(),
                    bound.wrong()));
    console.say("each writer's groups, with the bound that is best for the others:");
    result
        .byWriter()
        .forEach(
            (writer, held) ->
                console.say(
                    "  %s: %d of %d (bound %4.2f)",
                    writer, held.named(), held.planted(), held.share()));
  }

  private static ObjectNode toJson(Result result) {
    ObjectNode json =
        Json.object()
            .put("notes", result.notes())
            .put("lessons", result.sentences())
            .put("refused", result.refused())
            .put("pairs", result.asked())
            .put("unread", result.unread().size())
            .put("planted", result.planted());
    json.set("used", toJson(result.named()));
    for (Named bound : result.bounds()) {
      json.withArray("bounds").add(toJson(bound));
    }
    result
        .byWriter()
        .forEach((writer, held) -> json.withObject("/heldOut").set(writer, toJson(held)));
    return json;
  }

  private static ObjectNode toJson(PublicResult result) {
    return Json.object()
        .put("lessons", result.sentences())
        .put("pairs", result.asked())
        .put("unread", result.unread().size())
        .put("named", result.named().groups())
        .put("wrong", result.named().wrong());
  }

  private static ObjectNode toJson(Named named) {
    return Json.object()
        .put("share", named.share())
        .put("named", named.groups())
        .put("planted", named.planted().size())
        .put("right", named.read())
        .put("wrong", named.wrong());
  }

  private static ObjectNode toJson(HeldOut held) {
    return Json.object()
        .put("share", held.share())
        .put("planted", held.planted())
        .put("named", held.named());
  }
}
