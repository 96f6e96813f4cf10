package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.NormalForm;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.search.RelatedAnswer;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.search.SearchRequest;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.search.SearchIndex;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Handler of requests about knowledge bases, for the daemon and for commands without a daemon.
 *
 * @param kbs the knowledge bases that requests may name; at least one
 * @param decided runs after each stored decision or answer, because the report must then be updated
 */
public record KbRequests(KbHost host, Collection<Kb> kbs, Runnable decided) {
  private static final int USUAL_HITS = 10;

  /** Requests that use the texts of entries. Changed notes are read again before such a request. */
  private static final Set<String> READING =
      Set.of("search", "related", "entry", "findings", "finding", "act", "decide", "questions");

  /**
   * Returns all lines of the answer to a request. Reads changed notes first, because a client that
   * has just edited a note asks about the new text.
   */
  public List<ObjectNode> answer(ObjectNode request) throws InterruptedException {
    if (READING.contains(request.path("do").asText())) {
      NotesKb.of(kb(request), host.settings()).ifPresent(NotesKb::refresh);
    }
    return answerAsRead(request);
  }

  /** Does the same as {@link #answer}, but does not read changed notes first. */
  public List<ObjectNode> answerAsRead(ObjectNode request) throws InterruptedException {
    Instant now = host.clock().now();
    String wanted = request.path("do").asText();
    return switch (wanted) {
      case "search" -> search(request);
      case "related" -> related(request);
      case "entry" -> List.of(EntryRequests.read(kb(request), modelId(), request));
      case "findings" -> findings(request).list(request);
      case "finding" -> List.of(findings(request).one(request));
      case "act" -> List.of(findings(request).act(request));
      case "decide" -> due(findings(request).decide(request, now));
      case "questions" -> List.of(questions(request).give(request, now));
      case "answers" -> due(questions(request).take(request, now));
      default -> throw Failure.usage("\"do\" must name a request, not \"" + wanted + "\"");
    };
  }

  private List<ObjectNode> due(ObjectNode noted) {
    decided.run();
    return List.of(noted);
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
    return FindingRequests.of(host.stores().of(kb(request)), host.settings(), modelId());
  }

  private QuestionRequests questions(ObjectNode request) throws InterruptedException {
    return QuestionRequests.of(findings(request), host.settings());
  }

  private String modelId() {
    return host.embedder().id();
  }

  private static boolean isAt(Kb kb, String named) {
    try {
      return Kb.isSame(kb.folder(), Path.of(named));
    } catch (InvalidPathException e) {
      return false; // no folder can have that name
    }
  }

  private static String text(ObjectNode request) {
    return SearchRequest.checkText("\"text\"", request.path("text").asText());
  }

  private List<ObjectNode> search(ObjectNode request) throws InterruptedException {
    Optional<String> topic = Optional.ofNullable(request.path("topic").textValue());
    if (topic.isPresent()) {
      topic = Optional.of(KbTopics.require(kb(request), topic.get()));
    }
    SearchRequest wanted =
        new SearchRequest(
            NormalForm.of(text(request)), // the embedding model does not know full-width letters
            topic,
            request.path("offset").asInt(),
            request.path("limit").asInt(USUAL_HITS));
    return host.searches().search(kb(request), wanted).toJson();
  }

  /**
   * Returns the entries nearest to a stored entry, or to a text that is about to be stored; the
   * last line tells whether an entry already says the same.
   */
  private List<ObjectNode> related(ObjectNode request) throws InterruptedException {
    Kb kb = kb(request);
    int limit = SearchRequest.checkLimit(request.path("limit").asInt(USUAL_HITS));
    Optional<NamedEntry> of =
        request.has("entry")
            ? Optional.of(EntryRequests.find(kb, modelId(), request))
            : Optional.empty();
    Entry asked =
        of.map(NamedEntry::entry)
            .orElseGet(() -> Entry.of(0, request.path("topic").asText(), text(request), 0));
    SearchAnswer found = host.searches().search(kb, RelatedAnswer.request(asked, limit));
    List<SearchIndex.Hit> others =
        found.hits().stream()
            .filter(hit -> of.filter(named -> named.name().equals(hit.entry().name())).isEmpty())
            .toList();
    return RelatedAnswer.of(
        asked,
        new SearchAnswer(others, found.coverage()),
        limit,
        host.settings(),
        of.isEmpty() ? host.pairs() : Optional.empty());
  }
}
