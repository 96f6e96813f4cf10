package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.QuestionRequests;
import dev.helixbg.daemon.server.StudyPage;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

final class StudyCommand extends JsonCommand {
  private static final int LONGEST = 1 << 22;

  private static final Path STANDARD = Path.of("-");
  private final KbOption kb = KbOption.withArgument();

  private Path export;
  private Path file;
  private int count;
  private String by = "chat";

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Let a chat with a language model answer questions about pairs of entries. The answers"
            + " decide which findings come first. --export writes the questions as a Markdown page,"
            + " --import reads the chat's answers. A coding agent that is connected over MCP"
            + " answers the same questions with the prompt 'study'.");
    to.add(options, kb);
    to.addOneOf(this::ways);
    to.option(
        "--count=N",
        "Number of questions to write, 1 to 100. Default: 50.",
        50,
        given -> count = given);
    to.option(
        "--by=NAME",
        "Name of the chat; use the same name for --export and --import. The answers under each"
            + " name are measured separately. Default: chat.",
        given -> by = given);
  }

  private void ways(Declaration to) {
    to.option(
        "--export=FILE",
        "Write the questions to this file; - is standard output.",
        Path.class,
        given -> export = given);
    to.option(
        "--import=FILE",
        "Read the answers from this file, one per line, in the form ID: ANSWER; - is standard"
            + " input.",
        Path.class,
        given -> file = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    try (KbStores stores = stores(settings)) {
      String modelId = EmbeddingModel.locate(settings).id();
      QuestionRequests requests =
          QuestionRequests.of(FindingRequests.of(stores.of(chosen), settings, modelId), settings);
      if (export != null) {
        export(requests);
      } else {
        take(requests, chosen);
      }
    }
  }

  private ObjectNode request() {
    return Json.object().put("client", by);
  }

  private void export(QuestionRequests requests) throws IOException, InterruptedException {
    JsonNode given = requests.give(request().put("count", count), Instant.now());
    int questions = given.path("questions").size();
    if (questions > 0 && export.equals(STANDARD)) {
      console.out().print(StudyPage.of(given));
    } else if (questions > 0) {
      try {
        Files.writeString(export, StudyPage.of(given));
      } catch (IOException e) {
        throw Failure.io(ExitCode.WRITE, "write " + export, e);
      }
    }
    show(() -> Json.object().put("questions", questions).set("left", given.path("left")), () -> {});
    console.warn(
        questions == 0
            ? "no question is open: nothing was written"
            : "wrote %d questions to %s. Give the page to a chat, save its answer, then: helix-bg"
                    .formatted(questions, export)
                + " study --import FILE"
                + (by.equals("chat") ? "" : " --by NAME")
                + kb.again());
  }

  private void take(QuestionRequests requests, Kb chosen) throws IOException {
    ArrayNode answers = StudyPage.answers(read(file));
    if (answers.isEmpty()) {
      throw Failure.usage(
          file + " has no answers: each answer is a line in the form ID: ANSWER, encoded in UTF-8");
    }
    JsonNode taken = requests.take(request().set("answers", answers), Instant.now());
    show(
        () -> taken,
        () -> {
          for (JsonNode refused : taken.path("refused")) {
            console.say("%-18s %s", refused.path("id").asText(), refused.path("why").asText());
          }
        });
    int kept = taken.path("kept").asInt();
    console.warn(
        "%d answers kept, %d refused%s",
        kept,
        taken.path("refused").size(),
        kept == 0 ? "" : "; " + DecideCommand.whenItShows(chosen, kb));
  }

  private static String read(Path file) {
    try (InputStream in = file.equals(STANDARD) ? System.in : Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(LONGEST + 1);
      if (bytes.length > LONGEST) {
        throw Failure.usage(
            file + " is larger than 4 MiB, which is too large for a file of answers");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw Failure.io(ExitCode.USAGE, "read " + file, e);
    }
  }
}
