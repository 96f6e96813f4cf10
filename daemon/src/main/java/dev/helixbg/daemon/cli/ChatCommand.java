package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Asks the daemon questions about a knowledge base. */
@Command(
    name = "chat",
    description = {
      "Have the daemon answer a question from the entries nearest to it. Without a language"
          + " model it lists those entries.",
      "Without QUESTION, each line of the standard input is a question."
    })
final class ChatCommand extends ConsoleCommand {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(arity = "0..*", paramLabel = "QUESTION", description = "Question to answer.")
  private List<String> words = List.of();

  @Override
  public Integer call() throws IOException {
    Settings settings = options.load().settings();
    List<String> asked = kb.afterFolder(words);
    Kb chosen = kb.find(settings);
    DaemonLink link = GlobalOptions.daemon();
    if (!asked.isEmpty()) {
      answer(link, chosen, String.join(" ", asked));
      return ExitCode.OK.number();
    }
    BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String question; (question = questions.readLine()) != null; ) {
      if (!question.isBlank()) {
        answer(link, chosen, question);
      }
    }
    return ExitCode.OK.number();
  }

  private void answer(DaemonLink link, Kb chosen, String question) throws IOException {
    ObjectNode request =
        DaemonLink.request("chat").put("kb", chosen.folder().toString()).put("text", question);
    List<String> sources = new ArrayList<>();
    link.ask(
        request,
        Duration.ofMinutes(10),
        line -> {
          if (line.has("source")) {
            sources.add(line.path("source").asText());
          } else {
            console.out().print(line.path("text").asText());
          }
        });
    console.out().println();
    if (!sources.isEmpty()) {
      console.say("From: %s", String.join(", ", sources));
    }
  }
}
