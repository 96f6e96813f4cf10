package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.service.Installation;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.report.FirstLook;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Handles the requests that clients send over the daemon's control socket. No request can name a
 * file to write or a command to run.
 */
record ControlRequests(Daemon daemon, KbRequests kbs) implements ControlServer.Handler {

  @Override
  public List<ObjectNode> handle(ObjectNode request) throws InterruptedException {
    switch (request.path("do").asText()) {
      case "status" -> {
        return List.of(status());
      }
      case "look" -> daemon.loop.lookNow();
      case "stop" -> {
        if (!daemon.stop()) {
          throw new Failure(
              ExitCode.BUSY, "the daemon is stopping, but its present work has not ended yet");
        }
      }
      default -> {
        return kbs.answer(request);
      }
    }
    return List.of();
  }

  private ObjectNode status() {
    ObjectNode json = Json.object();
    KbHost host = daemon.host;
    DaemonMetrics metrics = host.metrics();
    json.put("version", Version.text());
    json.put("program", Installation.jar().toString());
    json.put("service", System.getenv(ServiceSpec.STARTED_BY) != null);
    json.put("pid", ProcessHandle.current().pid());
    json.put("startedAt", daemon.startedAt.toString());
    for (KbWatch watch : daemon.watches) {
      json.withArray("kbs")
          .addObject()
          .put("folder", watch.kb().folder().toString())
          .put(
              "notes",
              NotesKb.of(watch.kb(), host.settings())
                  .map(found -> found.notes().toString())
                  .orElse(null))
          .put("entries", watch.update().entries() < 0 ? null : watch.update().entries())
          .put("upToDate", !watch.upToDateWith().isEmpty())
          .put("gone", watch.isGone())
          .put("passagesLeft", watch.update().left().map(FirstLook::passages).orElse(0))
          .put("pairsLeft", watch.update().left().map(FirstLook::pairs).orElse(0))
          .put("published", watch.update().published().map(Object::toString).orElse(null))
          .put("questionsLeft", watch.update().questions() < 0 ? null : watch.update().questions())
          .put("trouble", watch.trouble().orElse(null));
    }
    json.put("embedderLoaded", host.embedder().isLoaded());
    putModel(host.settings(), json);
    json.set("idleWork", daemon.idle.current().map(ControlRequests::describe).orElse(null));
    json.put("clients", daemon.control.clients());
    ObjectNode counts = json.putObject("metrics");
    counts.put("ticks", metrics.ticks.sum());
    counts.put("readings", metrics.readings.sum());
    counts.put("reports", metrics.reports.sum());
    counts.put("embedded", metrics.embedded.sum());
    counts.put("searches", metrics.searches.sum());
    counts.put("answers", metrics.answers.sum());
    counts.put("modelSeconds", metrics.modelNanos.sum() / 1e9);
    counts.put("workSeconds", metrics.workNanos.sum() / 1e9);
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    counts.put("cpuSeconds", cpu.toNanos() / 1e9);
    counts.put("upSeconds", Duration.between(daemon.startedAt, host.clock().now()).toSeconds());
    Runtime runtime = Runtime.getRuntime();
    counts.put("heapBytes", runtime.totalMemory() - runtime.freeMemory());
    counts.put("residentBytes", OperatingSystem.residentMemory().orElse(null));
    counts.put("troubles", metrics.troubles.sum());
    counts.set(
        "lastError",
        daemon
            .troubles
            .last()
            .map(
                trouble ->
                    Json.object()
                        .put("at", trouble.at().toString())
                        .put("message", trouble.message()))
            .orElse(null));
    return json;
  }

  /** Adds the path of the language model, or the reason why it cannot be located. */
  private static void putModel(Settings settings, ObjectNode json) {
    Optional<LanguageModelFile> model = Optional.empty();
    String trouble = null;
    try {
      model = LanguageModelFile.locate(settings);
    } catch (Failure e) {
      trouble = e.getMessage();
    }
    json.put("model", model.map(found -> found.file().toString()).orElse(null));
    json.put("modelTrouble", trouble);
  }

  private static ObjectNode describe(IdleWork.Current current) {
    return Json.object()
        .put("kb", current.kb().folder().toString())
        .put("work", "questions")
        .put("since", current.since().toString())
        .put("job", current.job().map(QuestionKind::title).orElse(null))
        .put("done", current.done())
        .put("left", current.left())
        .put("answered", current.answered());
  }
}
