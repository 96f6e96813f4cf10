package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.link.DaemonLink;
import java.time.Duration;

final class StatusCommand extends JsonCommand {

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Show the state of the daemon: knowledge bases, models, processor time, memory, last"
            + " error.");
  }

  @Override
  protected void run() {
    JsonNode status =
        GlobalOptions.daemon().ask(DaemonLink.request("status"), Duration.ofSeconds(10)).getFirst();
    show(() -> status, () -> print(status));
  }

  private void print(JsonNode status) {
    JsonNode metrics = status.path("metrics");
    console.say(
        "helix-bg %s, process %d, up %s",
        status.path("version").asText(),
        status.path("pid").asLong(),
        Duration.ofSeconds(metrics.path("upSeconds").asLong()));
    for (JsonNode kb : status.path("kbs")) {
      console.say(
          "  %s: %s, %s",
          kb.hasNonNull("notes")
              ? kb.path("notes").asText() + " (notes)"
              : kb.path("folder").asText(),
          kb.path("entries").isNull() ? "not read yet" : kb.path("entries").asInt() + " entries",
          kb.path("gone").asBoolean()
              ? "missing at present"
              : kb.path("upToDate").asBoolean() ? "up to date" : "not up to date");
      left(
          kb,
          "passagesLeft",
          "the report is a first look (incomplete): %,d passages have no vector yet");
      left(
          kb,
          "pairsLeft",
          "the report is a first look (incomplete): %,d pairs have not been judged yet");
      left(kb, "questionsLeft", "%,d questions to the language model are left");
      if (!kb.path("trouble").isNull()) {
        console.say("    problem: %s", kb.path("trouble").asText());
      }
    }
    if (status.hasNonNull("idleWork")) {
      console.say("idle work %s", idleWork(status.path("idleWork")));
    }
    console.say(
        "models    embedding %s, language %s",
        status.path("embedderLoaded").asBoolean() ? "loaded" : "not loaded",
        status.path("model").isNull()
            ? status.path("modelTrouble").asText("none")
            : status.path("model").asText());
    console.say(
        "cost      %.1f s of processor time, %,d MB of resident memory",
        metrics.path("cpuSeconds").asDouble(), metrics.path("residentBytes").asLong() >> 20);
    if (metrics.hasNonNull("lastError")) {
      console.say(
          "last error %s: %s",
          metrics.at("/lastError/at").asText(), metrics.at("/lastError/message").asText());
    }
  }

  private void left(JsonNode kb, String field, String words) {
    if (kb.path(field).asInt() > 0) {
      console.say("    " + words, kb.path(field).asInt());
    }
  }

  private static String idleWork(JsonNode idle) {
    String work = idle.path("work").asText();
    String what =
        idle.hasNonNull("job")
            ? "%s: %,d done, %,d left"
                .formatted(
                    idle.path("job").asText(), idle.path("done").asInt(), idle.path("left").asInt())
            : work;
    return what + ", for " + idle.path("kb").asText();
  }
}
