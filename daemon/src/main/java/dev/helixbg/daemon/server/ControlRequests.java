package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlException;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.LanguageModel;
import dev.helixbg.daemon.host.NativeMemory;
import dev.helixbg.daemon.idle.IdleQuestions;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.search.Chat;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.service.Installation;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Faults;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.insight.judge.Job;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.Review;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What clients of the control socket may ask for. Nothing a client sends names a file to be written
 * or a command to be run.
 */
public final class ControlRequests implements ControlServer.Handler {
  private static final int USUAL_HITS = 10;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Daemon daemon;

  ControlRequests(Daemon daemon) {
    this.daemon = daemon;
  }

  @Override
  public void handle(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    try {
      dispatch(request, reply);
    } catch (UncheckedIOException e) {
      throw e.getCause(); // the client is gone
    } catch (RuntimeException e) {
      ExitCode code = Faults.codeOf(e);
      if (code == ExitCode.INTERNAL) {
        throw e;
      }
      throw new ControlException(code.number(), e.getMessage());
    }
  }

  private void dispatch(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    String wanted = request.path("do").asText();
    switch (wanted) {
      case "status" -> reply.send(status());
      case "search" -> search(request, reply);
      case "synthesize" -> review(request, Review.Kind.SESSION, reply);
      case "drift" -> review(request, Review.Kind.DRIFT, reply);
      case "stale" -> review(request, Review.Kind.STALE, reply);
      case "chat" -> chat(request, reply);
      case "look" -> daemon.loop().lookNow();
      case "pause" -> orNotYet(daemon.pause());
      case "resume" -> daemon.loop().resume();
      case "reload" -> daemon.reload();
      case "stop" -> orNotYet(daemon.stop());
      default -> throw wrong("\"do\" must name a request, not \"" + wanted + "\"");
    }
  }

  /** The answer is true: nothing is under way any more. */
  private static void orNotYet(boolean done) throws ControlException {
    if (!done) {
      throw new ControlException(
          ExitCode.BUSY.number(), "what is under way has not ended yet; it will do so soon");
    }
  }

  /** Whatever keeps clients waiting, these end it, or tell what it is. */
  @Override
  public boolean isUrgent(ObjectNode request) {
    return Set.of("status", "pause", "stop").contains(request.path("do").asText());
  }

  private static ControlException wrong(String message) {
    return new ControlException(ExitCode.USAGE.number(), message);
  }

  private Kb kb(ObjectNode request) throws ControlException {
    List<KbWatch> watches = daemon.parts().watches();
    if (!request.has("kb")) {
      return watches.getFirst().kb();
    }
    String named = request.path("kb").asText();
    return watches.stream()
        .map(KbWatch::kb)
        .filter(kb -> isAt(kb, named))
        .findFirst()
        .orElseThrow(
            () -> new ControlException(ExitCode.KB.number(), "the daemon does not watch " + named));
  }

  private static boolean isAt(Kb kb, String named) {
    try {
      return kb.folder().equals(Path.of(named));
    } catch (InvalidPathException e) {
      return false; // no folder can have that name
    }
  }

  private static String text(ObjectNode request) throws ControlException {
    String text = request.path("text").asText();
    if (text.isBlank() || text.length() > SearchRequest.MAX_TEXT) {
      throw wrong("\"text\" must have 1 to %,d characters".formatted(SearchRequest.MAX_TEXT));
    }
    return text;
  }

  private void search(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    SearchRequest wanted;
    try {
      wanted =
          new SearchRequest(
              text(request),
              Optional.ofNullable(request.path("topic").textValue()),
              request.path("offset").asInt(),
              request.path("limit").asInt(USUAL_HITS));
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    for (SearchHit hit : daemon.searches().search(kb(request), wanted)) {
      reply.add(hit.toJson(JSON));
    }
  }

  private void review(ObjectNode request, Review.Kind kind, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Optional<String> topic = Optional.ofNullable(request.path("topic").textValue());
    Reviews.Wanted wanted = new Reviews.Wanted(kind, topic);
    Kb kb = kb(request);
    Daemon.Parts parts = daemon.parts();
    Review review =
        parts
            .model()
            .use(
                model ->
                    parts
                        .reviews()
                        .run(
                            kb,
                            wanted,
                            model.map(parts.model()::oracle),
                            daemon.now(),
                            Thread.currentThread()::isInterrupted));
    daemon.metrics().reviews.increment();
    reply.send(History.toJson(review));
  }

  private void chat(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    String question = text(request);
    List<SearchHit> hits = daemon.searches().search(kb, SearchRequest.best(question, Chat.ENTRIES));
    for (SearchHit hit : hits) {
      reply.send(JSON.createObjectNode().put("source", hit.name()));
    }
    Daemon.Parts parts = daemon.parts();
    parts
        .model()
        .use(
            model -> {
              Chat.answer(
                  question,
                  hits,
                  model.map(parts.model()::oracle),
                  piece -> send(reply, piece),
                  Thread.currentThread()::isInterrupted);
              return null;
            });
  }

  private static void send(ControlServer.Reply reply, String piece) {
    try {
      reply.send(JSON.createObjectNode().put("text", piece));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ObjectNode status() {
    ObjectNode json = JSON.createObjectNode();
    DaemonMetrics metrics = daemon.metrics();
    Daemon.Parts parts = daemon.parts();
    json.put("version", Version.text());
    json.put("program", Installation.jar().toString());
    json.put("service", System.getenv(ServiceSpec.STARTED_BY) != null);
    json.put("pid", ProcessHandle.current().pid());
    json.put("startedAt", daemon.startedAt().toString());
    json.put("paused", daemon.loop().isPaused());
    for (KbWatch watch : parts.watches()) {
      json.withArray("kbs")
          .addObject()
          .put("folder", watch.kb().folder().toString())
          .put("entries", watch.entries() < 0 ? null : watch.entries())
          .put("upToDate", !watch.upToDateWith().isEmpty())
          .put("gone", watch.isGone())
          .put("published", watch.published().map(Object::toString).orElse(null))
          .put("questionsLeft", watch.questions() < 0 ? null : watch.questions())
          .put("trouble", watch.trouble().orElse(null));
    }
    json.put("embedderLoaded", parts.embedder().isLoaded());
    json.put("modelLoaded", parts.model().isLoaded());
    json.put(
        "model",
        LanguageModel.locate(parts.settings()).map(model -> model.file().toString()).orElse(null));
    parts
        .idle()
        .current()
        .ifPresentOrElse(
            current -> describe(current, json.putObject("idleWork")),
            () -> json.putNull("idleWork"));
    json.put("clients", daemon.clients());
    ObjectNode counts = json.putObject("metrics");
    counts.put("ticks", metrics.ticks.sum());
    counts.put("hints", metrics.hints.sum());
    counts.put("readings", metrics.readings.sum());
    counts.put("reports", metrics.reports.sum());
    counts.put("embedded", metrics.embedded.sum());
    counts.put("searches", metrics.searches.sum());
    counts.put("answers", metrics.answers.sum());
    counts.put("modelTokens", metrics.modelTokens.sum());
    counts.put("modelSeconds", metrics.modelNanos.sum() / 1e9);
    counts.put("workSeconds", metrics.workNanos.sum() / 1e9);
    counts.put("cpuSeconds", cpuSeconds());
    counts.put("upSeconds", Duration.between(daemon.startedAt(), daemon.now()).toSeconds());
    Runtime runtime = Runtime.getRuntime();
    counts.put("heapBytes", runtime.totalMemory() - runtime.freeMemory());
    counts.put("residentBytes", NativeMemory.resident().orElse(null));
    counts.put("troubles", metrics.troubles.sum());
    metrics
        .lastTrouble()
        .ifPresentOrElse(
            trouble ->
                counts
                    .putObject("lastError")
                    .put("at", trouble.at().toString())
                    .put("message", trouble.message()),
            () -> counts.putNull("lastError"));
    return json;
  }

  private static void describe(IdleWork.Current current, ObjectNode json) {
    json.put("kb", current.kb().folder().toString());
    json.put("work", current.work().title());
    json.put("since", current.since().toString());
    if (current.stand().isPresent()) {
      IdleQuestions.RunProgress stand = current.stand().get();
      json.put("job", stand.job().map(Job::title).orElse(null));
      json.put("done", stand.done());
      json.put("left", stand.left());
      json.put("answered", stand.answered());
    }
  }

  private static double cpuSeconds() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
  }
}
