package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.search.Chat;
import dev.helixbg.daemon.search.RelatedAnswer;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Handler of requests about knowledge bases, for the daemon and for commands that run without a
 * daemon.
 *
 * @param kbs the knowledge bases that requests may name; at least one
 * @param decided runs after decisions and answers, which make a new report due
 */
public record KbRequests(KbHost host, Collection<Kb> kbs, Runnable decided) {
  private static final int USUAL_HITS = 10;

  /**
   * @return whether this handler knows the request
   * @throws Failure when the request is invalid
   * @throws IOException when the client has left
   * @throws InterruptedException when cancelled
   */
  public boolean answer(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    switch (request.path("do").asText()) {
      case "search" -> search(request, reply);
      case "chat" -> chat(request, reply);
      case "related" -> related(request, reply);
      case "entry" -> EntryRequests.read(kb(request), modelId(), request, reply);
      case "findings" -> findings(request).list(request, reply);
      case "finding" -> findings(request).one(request, reply);
      case "act" -> findings(request).act(request, reply);
      case "decide" -> {
        findings(request).decide(request, host.clock().now(), reply);
        decided.run();
      }
      case "questions" -> questions(request).give(request, host.clock().now(), reply);
      case "answers" -> {
        questions(request).take(request, host.clock().now(), reply);
        decided.run();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private Kb kb(ObjectNode request) {
    if (!request.has("kb")) {
      return kbs.iterator().next();
    }
    String named = request.path("kb").asText();
    return kbs.stream()
        .filter(kb -> isAt(kb, named))
        .findFirst()
        .orElseThrow(() -> new Failure(ExitCode.KB, "the daemon does not watch " + named));
  }

  private FindingRequests findings(ObjectNode request) throws InterruptedException {
    // A client that has just edited a note asks about its present text.
    NotesKb.of(kb(request), host.settings()).ifPresent(notes -> notes.refresh());
    return present(request);
  }

  private FindingRequests present(ObjectNode request) throws InterruptedException {
    return FindingRequests.of(host.stores().of(kb(request)), host.settings(), modelId());
  }

  private QuestionRequests questions(ObjectNode request) throws InterruptedException {
    return QuestionRequests.of(present(request), host.settings());
  }

  private String modelId() {
    return host.embedder().id();
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
    Optional<String> topic = Optional.ofNullable(request.path("topic").textValue());
    if (topic.isPresent()) {
      topic = Optional.of(KbTopics.require(kb(request), topic.get()));
    }
    SearchRequest wanted =
        new SearchRequest(
            text(request),
            topic,
            request.path("offset").asInt(),
            request.path("limit").asInt(USUAL_HITS));
    for (ObjectNode line : host.searches().search(kb(request), wanted).toJson()) {
      reply.add(line);
    }
  }

  /**
   * Sends the entries nearest to an entry, or to a text that is about to be stored. The last line
   * tells whether an entry already says the same. For stored entries the list of relations is more
   * exact.
   */
  private void related(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    int limit = SearchRequest.checkLimit(request.path("limit").asInt(USUAL_HITS));
    Optional<NamedEntry> of =
        request.has("entry")
            ? Optional.of(EntryRequests.find(kb, modelId(), request))
            : Optional.empty();
    Entry asked =
        of.map(NamedEntry::entry)
            .orElseGet(() -> RelatedAnswer.unstored(request.path("topic").asText(), text(request)));
    SearchAnswer found = host.searches().search(kb, RelatedAnswer.request(asked, limit));
    List<SearchHit> others =
        found.hits().stream()
            .filter(hit -> of.filter(named -> named.name().equals(hit.name())).isEmpty())
            .toList();
    RelatedAnswer answer =
        RelatedAnswer.of(
            asked,
            new SearchAnswer(others, found.coverage()),
            limit,
            host.settings(),
            of.isEmpty() ? host.pairs() : Optional.empty());
    for (ObjectNode line : answer.toJson()) {
      reply.add(line);
    }
  }

  private void chat(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    String question = text(request);
    List<SearchHit> hits =
        host.searches().search(kb, SearchRequest.best(question, Chat.ENTRIES)).hits();
    for (SearchHit hit : hits) {
      reply.send(Json.object().put("source", hit.name()));
    }
    host.model()
        .use(
            model -> {
              Chat.answer(
                  question,
                  hits,
                  model,
                  piece -> send(reply, piece),
                  Thread.currentThread()::isInterrupted);
              return null;
            });
  }

  private static void send(ControlServer.Reply reply, String piece) {
    try {
      reply.send(Json.object().put("text", piece));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
