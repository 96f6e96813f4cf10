package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.InsightSettings;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.TextModelHost;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.search.Chat;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.search.SearchService;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.Review;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What is asked about a knowledge base. The daemon's clients ask it, and a program that works by
 * itself, where no daemon runs: the same requests, the same answers.
 *
 * @param held as it is at each request
 * @param decided is told of each decision: the report is due
 */
public record KbRequests(
    Supplier<Held> held, DaemonMetrics metrics, DaemonClock clock, Runnable decided) {
  private static final int USUAL_HITS = 10;

  /**
   * What answers are made from.
   *
   * @param kbs that may be asked about, at least one
   */
  public record Held(
      List<Kb> kbs,
      Settings settings,
      SearchService searches,
      TextModelHost model,
      Reviews reviews,
      SealedReports reports) {}

  /**
   * @return whether this is such a request
   * @throws Failure for what is wrong with it
   * @throws IOException when whoever asked is gone
   * @throws InterruptedException when called off
   */
  public boolean answer(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    switch (request.path("do").asText()) {
      case "search" -> search(request, reply);
      case "synthesize" -> review(request, Review.Kind.SESSION, reply);
      case "drift" -> review(request, Review.Kind.DRIFT, reply);
      case "stale" -> review(request, Review.Kind.STALE, reply);
      case "chat" -> chat(request, reply);
      case "related" -> related(request, reply);
      case "findings" ->
          FindingRequests.list(kb(request), reports(), present(request), request, reply);
      case "finding" ->
          FindingRequests.one(kb(request), reports(), present(request), request, reply);
      case "act" -> FindingRequests.act(kb(request), reports(), present(request), request, reply);
      case "decide" -> {
        FindingRequests.decide(
            kb(request), reports(), present(request), request, clock.now(), reply);
        decided.run();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private SealedReports reports() {
    return held.get().reports();
  }

  private Kb kb(ObjectNode request) {
    List<Kb> kbs = held.get().kbs();
    if (!request.has("kb")) {
      return kbs.getFirst();
    }
    String named = request.path("kb").asText();
    return kbs.stream()
        .filter(kb -> isAt(kb, named))
        .findFirst()
        .orElseThrow(() -> new Failure(ExitCode.KB, "the daemon does not watch " + named));
  }

  private PresentFindings present(ObjectNode request) throws InterruptedException {
    return PresentFindings.read(kb(request), held.get().reviews().modelId());
  }

  private static boolean isAt(Kb kb, String named) {
    try {
      return kb.folder().equals(Path.of(named));
    } catch (InvalidPathException e) {
      return false; // no folder can have that name
    }
  }

  private static String text(ObjectNode request) {
    String text = request.path("text").asText();
    if (text.isBlank() || text.length() > SearchRequest.MAX_TEXT) {
      throw Failure.usage(
          "\"text\" must have 1 to %,d characters".formatted(SearchRequest.MAX_TEXT));
    }
    return text;
  }

  private void search(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    SearchRequest wanted =
        new SearchRequest(
            text(request),
            Optional.ofNullable(request.path("topic").textValue()),
            request.path("offset").asInt(),
            request.path("limit").asInt(USUAL_HITS));
    for (SearchHit hit : held.get().searches().search(kb(request), wanted)) {
      reply.add(hit.toJson());
    }
  }

  /**
   * The entries nearest to an entry, or to a text that is about to be stored. Whether one {@code
   * says} it already: as near as near-duplicates are, yes; as cross-links are, perhaps.
   */
  private void related(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    String name = request.path("entry").asText();
    String topic = request.path("topic").asText();
    String text =
        !name.isEmpty() ? entry(kb, name) : (topic.isEmpty() ? "" : topic + " ") + text(request);
    int limit = request.path("limit").asInt(USUAL_HITS);
    SearchRequest wanted =
        SearchRequest.best(
            text.substring(0, Math.min(SearchRequest.MAX_TEXT, text.length())),
            name.isEmpty() || limit == SearchRequest.MAX_HITS ? limit : limit + 1);
    List<SearchHit> hits = held.get().searches().search(kb, wanted);
    InsightSettings limits = held.get().settings().insight();
    for (SearchHit hit : hits) {
      if (!hit.name().equals(name) && limit-- > 0) {
        reply.add(hit.toJson().put("says", says(hit.similarity(), limits)));
      }
    }
  }

  private static String says(double similarity, InsightSettings limits) {
    return similarity >= limits.nearDuplicate()
        ? "yes"
        : similarity >= limits.crossLinkFrom() ? "perhaps" : "no";
  }

  private static String entry(Kb kb, String name) throws InterruptedException {
    return NamedEntry.all(DataLog.readQuiet(kb.dataLog()).entries(), entry -> "").stream()
        .filter(named -> named.name().equals(name))
        .findFirst()
        .map(named -> named.entry().embeddedText())
        .orElseThrow(
            () ->
                Failure.usage(
                    "there is no entry "
                        + name
                        + "; entries are called topic:number, as search says"));
  }

  private void review(ObjectNode request, Review.Kind kind, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Optional<String> topic = Optional.ofNullable(request.path("topic").textValue());
    Reviews.Wanted wanted = new Reviews.Wanted(kind, topic);
    KbIdentity kb = KbIdentity.of(kb(request));
    TextModelHost models = held.get().model();
    Review review =
        models.use(
            model ->
                held.get()
                    .reviews()
                    .run(
                        kb,
                        wanted,
                        held.get().reviews().subject(kb.kb()),
                        model,
                        model.map(models::counting).orElse(JudgeProgress.SILENT),
                        clock.now(),
                        Thread.currentThread()::isInterrupted));
    metrics.reviews.increment();
    reply.send(History.toJson(review));
  }

  private void chat(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    String question = text(request);
    List<SearchHit> hits =
        held.get().searches().search(kb, SearchRequest.best(question, Chat.ENTRIES));
    for (SearchHit hit : hits) {
      reply.send(Json.object().put("source", hit.name()));
    }
    metrics.modelTokens.add(
        held.get()
            .model()
            .use(
                model ->
                    Chat.answer(
                        question,
                        hits,
                        model,
                        piece -> send(reply, piece),
                        Thread.currentThread()::isInterrupted)));
  }

  private static void send(ControlServer.Reply reply, String piece) {
    try {
      reply.send(Json.object().put("text", piece));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
