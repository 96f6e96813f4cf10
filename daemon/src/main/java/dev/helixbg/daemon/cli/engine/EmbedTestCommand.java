package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.Cosine;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows that embedding works on this machine, and that its vectors make sense. */
@Command(
    name = "embed-test",
    description = "Embed sample texts: first values, similarities, provider in use, timing.",
    mixinStandardHelpOptions = true)
public final class EmbedTestCommand implements Callable<Integer> {
  /** The first two say the same, the third is related, the last is about something else. */
  private static final List<String> TEXTS =
      List.of(
          "The queue drops messages when the broker restarts.",
          "After a restart of the broker, messages in the queue are lost.",
          "Messages are acknowledged only after they were written to disk.",
          "Set the font of the title page to a serif face.");

  private static final int FIRST_VALUES = 5;

  @Mixin private GlobalOptions options;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  public EmbedTestCommand(Console console) {
    this.console = console;
  }

  private record Test(
      String model,
      MiniLm.Provenance provenance,
      double openMillis,
      double embedMillis,
      float[][] vectors) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Test test = run(settings);
    if (json) {
      Json.print(console.json(), generator -> write(test, generator));
    } else {
      print(test);
    }
    return ExitCode.OK.number();
  }

  private static Test run(Settings settings) throws InterruptedException {
    EmbeddingModel model = EmbeddingModel.locate(settings.embed(), settings.cache());
    long start = System.nanoTime();
    try (MiniLm embedder = model.open(settings.threads())) {
      long opened = System.nanoTime();
      float[][] vectors = embedder.embedAll(TEXTS);
      long embedded = System.nanoTime();
      return new Test(
          model.describe(),
          embedder.provenance(),
          (opened - start) / 1e6,
          (embedded - opened) / 1e6,
          vectors);
    }
  }

  private void print(Test test) {
    console.say("Model     %s", test.model());
    console.say("Graph     %s", test.provenance().graph());
    console.say("Provider  %s", test.provenance().provider());
    console.say(
        "Timing    opened in %.0f ms, %d texts embedded in %.1f ms",
        test.openMillis(), TEXTS.size(), test.embedMillis());
    console.out().println();
    for (int i = 0; i < TEXTS.size(); i++) {
      StringBuilder values = new StringBuilder();
      for (int k = 0; k < FIRST_VALUES; k++) {
        values.append(String.format(Locale.ROOT, "%9.5f", test.vectors()[i][k]));
      }
      console.say("%d  %s ...  %s", i + 1, values, TEXTS.get(i));
    }
    console.out().println();
    for (int i = 0; i < TEXTS.size(); i++) {
      for (int j = i + 1; j < TEXTS.size(); j++) {
        console.say(
            "%d and %d: %.4f", i + 1, j + 1, Cosine.of(test.vectors()[i], test.vectors()[j]));
      }
    }
  }

  private static void write(Test test, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("model", test.model());
    json.writeStringField("graph", test.provenance().graph());
    json.writeStringField("provider", test.provenance().provider());
    json.writeNumberField("openMillis", test.openMillis());
    json.writeNumberField("embedMillis", test.embedMillis());
    json.writeArrayFieldStart("texts");
    for (int i = 0; i < TEXTS.size(); i++) {
      json.writeStartObject();
      json.writeStringField("text", TEXTS.get(i));
      json.writeNumberField("dimension", test.vectors()[i].length);
      json.writeArrayFieldStart("firstValues");
      for (int k = 0; k < FIRST_VALUES; k++) {
        json.writeNumber(test.vectors()[i][k]);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("pairs");
    for (int i = 0; i < TEXTS.size(); i++) {
      for (int j = i + 1; j < TEXTS.size(); j++) {
        json.writeStartObject();
        json.writeNumberField("a", i);
        json.writeNumberField("b", j);
        json.writeNumberField("similarity", Cosine.of(test.vectors()[i], test.vectors()[j]));
        json.writeEndObject();
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
