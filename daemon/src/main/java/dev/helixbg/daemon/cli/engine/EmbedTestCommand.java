package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.Cosine;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows that embedding works on this machine, and that its vectors make sense. */
@Command(
    name = "embed-test",
    description =
        "Embed sample texts. Print the provider, the first values, the similarities and the time.")
public final class EmbedTestCommand extends JsonCommand {
  /** The first two say the same, the third is related, the last is about something else. */
  private static final List<String> TEXTS =
      List.of(
          "The queue drops messages when the broker restarts.",
          "After a restart of the broker, messages in the queue are lost.",
          "Messages are acknowledged only after they were written to disk.",
          "Set the font of the title page to a serif face.");

  private static final int FIRST_VALUES = 5;

  @Mixin private GlobalOptions options;

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
    show(() -> toJson(test), () -> print(test));
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

  private static ObjectNode toJson(Test test) {
    ObjectNode json =
        Json.object()
            .put("model", test.model())
            .put("graph", test.provenance().graph())
            .put("provider", test.provenance().provider())
            .put("openMillis", test.openMillis())
            .put("embedMillis", test.embedMillis());
    ArrayNode texts = json.putArray("texts");
    ArrayNode pairs = json.putArray("pairs");
    for (int i = 0; i < TEXTS.size(); i++) {
      float[] vector = test.vectors()[i];
      ObjectNode text = texts.addObject().put("text", TEXTS.get(i)).put("dimension", vector.length);
      ArrayNode values = text.putArray("firstValues");
      for (int k = 0; k < FIRST_VALUES; k++) {
        values.add(vector[k]);
      }
      for (int j = i + 1; j < TEXTS.size(); j++) {
        double similarity = Cosine.of(vector, test.vectors()[j]);
        pairs.addObject().put("a", i).put("b", j).put("similarity", similarity);
      }
    }
    return json;
  }
}
