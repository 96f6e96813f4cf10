package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.cache.Cosine;
import java.io.IOException;
import java.util.List;

public final class EmbedTestCommand extends JsonCommand {
  /** Texts 1 and 2 mean the same. Text 3 is related to them. Text 4 is about something else. */
  private static final List<String> TEXTS =
      List.of(
          "The queue drops messages when the broker restarts.",
          "After a restart of the broker, messages in the queue are lost.",
          "Messages are acknowledged only after they were written to disk.",
          "Set the font of the title page to a serif face.");

  private static final int FIRST_VALUES = 5;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Embed sample texts. Print the provider (the code that computes), the first values of the"
            + " vectors, their similarities and the time.");
    to.add(options);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    ObjectNode test = run(options.load().settings());
    show(() -> test, () -> print(test));
  }

  private static ObjectNode run(Settings settings) throws InterruptedException {
    EmbeddingModel model = EmbeddingModel.locate(settings);
    long start = System.nanoTime();
    try (MiniLm embedder = model.open()) {
      long opened = System.nanoTime();
      float[][] vectors = embedder.embedAll(TEXTS);
      long embedded = System.nanoTime();
      ObjectNode json =
          Json.object()
              .put("model", model.describe())
              .put("graph", embedder.provenance().graph())
              .put("provider", embedder.provenance().provider())
              .put("openMillis", (opened - start) / 1e6)
              .put("embedMillis", (embedded - opened) / 1e6);
      addVectors(json, vectors);
      return json;
    }
  }

  private static void addVectors(ObjectNode json, float[][] vectors) {
    ArrayNode texts = json.putArray("texts");
    ArrayNode pairs = json.putArray("pairs");
    for (int i = 0; i < TEXTS.size(); i++) {
      ObjectNode text =
          texts.addObject().put("text", TEXTS.get(i)).put("dimension", vectors[i].length);
      ArrayNode values = text.putArray("firstValues");
      for (int k = 0; k < FIRST_VALUES; k++) {
        values.add(vectors[i][k]);
      }
      for (int j = i + 1; j < TEXTS.size(); j++) {
        double similarity = Cosine.of(vectors[i], vectors[j]);
        pairs.addObject().put("a", i).put("b", j).put("similarity", similarity);
      }
    }
  }

  private void print(JsonNode test) {
    console.say("Model     %s", test.path("model").asText());
    console.say("Graph     %s", test.path("graph").asText());
    console.say("Provider  %s", test.path("provider").asText());
    console.say(
        "Timing    opened in %.0f ms, %d texts embedded in %.1f ms%n",
        test.path("openMillis").asDouble(), TEXTS.size(), test.path("embedMillis").asDouble());
    for (int i = 0; i < TEXTS.size(); i++) {
      console.say("%d  %s  %s", i + 1, test.at("/texts/" + i + "/firstValues"), TEXTS.get(i));
    }
    console.out().println();
    for (JsonNode pair : test.path("pairs")) {
      console.say(
          "%d and %d: %.4f",
          pair.path("a").asInt() + 1,
          pair.path("b").asInt() + 1,
          pair.path("similarity").asDouble());
    }
  }
}
