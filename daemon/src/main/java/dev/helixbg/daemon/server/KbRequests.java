package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.search.Chat;
import dev.helixbg.daemon.search.RelatedAnswer;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchHit;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.search.SearchService;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
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
 * @param decided is told of each decision, and of answers: the report is due
 */
public record KbRequests(Supplier<Held> held, DaemonClock clock, Runnable decided) {
  private static final int USUAL_HITS = 10;

  /**
   * What answers are made from.
   *
   * @param kbs that may be asked about, at least one
   * @param stores what is known of each of them
   * @param ids of the embedding model's vectors
   * @param pairs the pair judge, where it may read
   */
  public record Held(
      List<Kb> kbs,
      KbStores stores,
      Settings settings,
      SearchService searches,
      LanguageModelHost model,
      VectorIds ids,
      Optional<? extends PairSource> pairs) {}

  /**
   * @return whether this is such a request
   * @throws Failure for what is wrong with it
   * @throws IOException when the client has gone
   * @throws InterruptedException when called off
   */
  public boolean answer(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    switch (request.path("do").asText()) {
      case "search" -> search(request, reply);
      case "chat" -> chat(request, reply);
      case "related" -> related(request, reply);
      case "entry" -> EntryRequests.read(kb(request), held.get().ids().name(), request, reply);
      case "findings" -> findings(request).list(request, reply);
      case "finding" -> findings(request).one(request, reply);
      case "act" -> findings(request).act(request, reply);
      case "decide" -> {
        findings(request).decide(request, clock.now(), reply);
        decided.run();
      }
      case "questions" -> questions(request).give(request, clock.now(), reply);
      case "answers" -> {
        questions(request).take(request, clock.now(), reply);
        decided.run();
      }
      default -> {
        return false;
      }
    }
    return true;
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

  private FindingRequests findings(ObjectNode request) throws InterruptedException {
    // A client that has just edited a note asks about its present text.
    NotesKb.of(kb(request), held.get().settings()).ifPresent(notes -> notes.refresh(files -> {}));
    return present(request);
  }

  private FindingRequests present(ObjectNode request) throws InterruptedException {
    Held now = held.get();
    return FindingRequests.of(now.stores().of(kb(request)), now.settings(), now.ids().name());
  }

  private QuestionRequests questions(ObjectNode request) throws InterruptedException {
    return QuestionRequests.of(present(request), held.get().settings());
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
    for (ObjectNode line : held.get().searches().search(kb(request), wanted).toJson()) {
      reply.add(line);
    }
  }

  /**
   * The entries nearest to an entry, or to a text that is about to be stored; in the last line
   * whether one says it already. Of an entry that is there the list of relations tells more.
   */
  private void related(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    Held now = held.get();
    int limit = SearchRequest.checkLimit(request.path("limit").asInt(USUAL_HITS));
    Optional<NamedEntry> of =
        request.has("entry")
            ? Optional.of(EntryRequests.find(kb, now.ids().name(), request))
            : Optional.empty();
    Entry asked =
        of.map(NamedEntry::entry)
            .orElseGet(() -> RelatedAnswer.unstored(request.path("topic").asText(), text(request)));
    SearchAnswer found = now.searches().search(kb, RelatedAnswer.request(asked, limit));
    List<SearchHit> others =
        found.hits().stream()
            .filter(hit -> of.filter(named -> named.name().equals(hit.name())).isEmpty())
            .toList();
    RelatedAnswer answer =
        RelatedAnswer.of(
            asked,
            new SearchAnswer(others, found.coverage()),
            limit,
            now.settings(),
            of.isEmpty() ? now.pairs() : Optional.empty());
    for (ObjectNode line : answer.toJson()) {
      reply.add(line);
    }
  }

  private void chat(ObjectNode request, ControlServer.Reply reply)
      throws IOException, InterruptedException {
    Kb kb = kb(request);
    String question = text(request);
    List<SearchHit> hits =
        held.get().searches().search(kb, SearchRequest.best(question, Chat.ENTRIES)).hits();
    for (SearchHit hit : hits) {
      reply.send(Json.object().put("source", hit.name()));
    }
    held.get()
        .model()
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
