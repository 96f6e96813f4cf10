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

/** Measures which of the lessons planted in notes helix-bg names as recurring lessons. */
final class BenchLessonsCommand extends JsonCommand {
  private String threads;
  private Path data = Path.of("insight/src/judge");

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure which of the lessons planted in 488 notes helix-bg names as recurring lessons."
            + " Stored answers of readers replace the language model: a lesson for each note, and"
            + " verdicts on pairs of lessons. Measure the same with public notes, in which no"
            + " lessons were planted.");
    to.add(options);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
    to.option(
        "--data=FOLDER",
        "Folder of the notes in a checkout (default: insight/src/judge).",
        Path.class,
        given -> data = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    Settings settings = options.settings(threads);
    if (!Files.isDirectory(data.resolve("lessons").resolve("trial"))) {
      throw new Failure(
          ExitCode.USAGE,
          "%s has no folder lessons/trial: run this in a checkout of helix-bg, or name"
                  .formatted(data)
              + " its folder insight/src/judge with --data");
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
          "public notes: %d lessons written by readers; %d pairs of lessons to judge, %d of them"
              + " without a verdict; %d recurring lessons named, %d of them wrong",
          publicNotes.sentences(),
          publicNotes.asked(),
          publicNotes.unread().size(),
          publicNotes.named().groups(),
          publicNotes.named().wrong());
    }
  }

  private void print(Result result) {
    console.say(
        "%d notes: %d lessons written by readers (%d more were refused); %d pairs of lessons to"
            + " judge, %d of them without a verdict.",
        result.notes(),
        result.sentences(),
        result.refused(),
        result.asked(),
        result.unread().size());
    console.say(
        "minimum share of a group; lessons named; of %d planted; not planted but right; wrong",
        result.planted());
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
    console.say(
        "planted lessons of each writer that are named, with the minimum share that is best for the"
            + " other writers:");
    result
        .byWriter()
        .forEach(
            (writer, held) ->
                console.say(
                    "  %s: %d of %d (minimum share %4.2f)",
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
