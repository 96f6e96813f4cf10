package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.agents.AgentQuestion;
import dev.helixbg.insight.agents.KnownPairs;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.log.Passage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Questions for a coding agent about pairs of entries. A question contains only the two texts, so
 * that a pair with a known answer looks like any other pair.
 */
final class PairQuestions {
  /** Maximum length of an excerpt, in characters. */
  static final int MOST_SHOWN = 800;

  /** Maximum length of an excerpt, in estimated tokens, so that a question costs at most 600. */
  private static final int MOST_TOKENS = 240;

  /** Number of characters of context before the matching part. */
  private static final int BEFORE = 120;

  private PairQuestions() {}

  /**
   * Returns an excerpt around the part that matches the other text, with the number of characters
   * left out and the key for reading the whole text.
   */
  static ObjectNode excerpt(String content, int match, Optional<String> key) {
    int room = Math.min(MOST_SHOWN, content.length());
    String shown = excerpt(content, match, room);
    int tokens = tokens(shown);
    while (tokens > MOST_TOKENS) { // for example if each character is a token
      room = room * MOST_TOKENS / tokens;
      shown = excerpt(content, match, room);
      tokens = tokens(shown);
    }
    ObjectNode json = Json.object().put("text", PrintableText.block(shown));
    if (room < content.length()) {
      json.put("omitted", content.length() - room);
      key.ifPresent(of -> json.put("entry", of));
    }
    return json;
  }

  private static int tokens(String text) {
    return Passage.estimatedTokens(TextNode.valueOf(text).toString(), MOST_SHOWN);
  }

  private static String excerpt(String content, int match, int room) {
    int from = Math.clamp(match - BEFORE, 0, content.length() - room);
    if (from > 0 && Character.isLowSurrogate(content.charAt(from))) {
      from++;
    }
    return (from > 0 ? "…" : "") + PrintableText.beginning(content.substring(from), room);
  }

  /**
   * Returns a question.
   *
   * @param keys the entries' keys; empty if the answer is known
   * @param texts excerpts {@code older} and {@code newer}, or {@code one} and {@code other} if the
   *     age is unknown
   */
  static QuestionRequests.Given given(String id, List<String> keys, ObjectNode texts, Instant now) {
    int characters = texts.valueStream().mapToInt(one -> one.path("text").asText().length()).sum();
    return new QuestionRequests.Given(
        new AgentQuestion(id, QuestionKind.PAIR, keys, characters, now), texts);
  }

  static QuestionRequests.Given of(KnownPairs.Known known, boolean isAgeKnown, Instant now) {
    return given(
        known.id(),
        List.of(),
        texts(
            isAgeKnown,
            excerpt(known.older(), 0, Optional.empty()),
            excerpt(known.newer(), 0, Optional.empty())),
        now);
  }

  private static ObjectNode texts(boolean isAgeKnown, ObjectNode older, ObjectNode newer) {
    ObjectNode texts = Json.object();
    texts.set(isAgeKnown ? "older" : "one", older);
    texts.set(isAgeKnown ? "newer" : "other", newer);
    return texts;
  }

  /** The first questions about pairs, and the number of all pairs that may be asked about. */
  record Open(List<QuestionRequests.Given> first, int all) {}

  /**
   * Returns the pairs that an agent may be asked about. First come leads (pairs at the top of the
   * report), then pairs that a pair judge has read, the least certain first, then all other pairs.
   *
   * @param taken ids of questions to skip
   * @param most maximum number of pairs whose texts are read
   */
  static Open open(
      FindingRequests findings, AgentAnswers said, Set<String> taken, int most, Instant now) {
    LastReport.Listing listing = findings.store().report().list();
    Decisions decisions = findings.store().decisions().read();
    PresentEntries present = findings.present().entries();
    Map<ReportedFinding, String> ids = new LinkedHashMap<>();
    Set<String> known = new HashSet<>(taken);
    FindingRequests.open(listing, decisions, one -> one.rank().isPresent()).stream()
        .limit(Findings.shownRelations(present.all().size()))
        .forEach(
            one ->
                id(one.keys(), present)
                    .filter(id -> !said.isSettled(id) && known.add(id))
                    .ifPresent(id -> ids.put(one, id)));
    List<ReportedFinding> pairs = new ArrayList<>(ids.keySet());
    Map<String, Double> acts = findings.store().report().acts();
    pairs.sort(
        Comparator.comparing((ReportedFinding one) -> !one.leads())
            .thenComparingDouble(
                one -> one.leads() ? 0 : Math.abs(acts.getOrDefault(one.id(), 1.5) - 0.5)));
    List<ReportedFinding> first = pairs.subList(0, Math.min(most, pairs.size()));
    Map<ReportedFinding, JsonNode> told = findings.store().report().told(first);
    return new Open(
        first.stream()
            .filter(told::containsKey) // missing if a new report has just replaced this one
            .map(one -> of(one, ids.get(one), told.get(one), present, now))
            .toList(),
        pairs.size());
  }

  private static Optional<List<NamedEntry>> both(List<String> keys, PresentEntries present) {
    return present
        .of(keys)
        .filter(found -> found.size() == 2)
        .map(both -> both.get(0).isOlderThan(both.get(1)) ? both : both.reversed());
  }

  private static Optional<String> id(List<String> keys, PresentEntries present) {
    return both(keys, present).map(both -> AgentQuestion.of(both.get(0), both.get(1)));
  }

  private static QuestionRequests.Given of(
      ReportedFinding finding, String id, JsonNode told, PresentEntries present, Instant now) {
    List<NamedEntry> both = both(finding.keys(), present).orElseThrow();
    return given(
        id,
        both.stream().map(NamedEntry::key).toList(),
        texts(
            both.get(0).isAgeKnown(both.get(1)),
            excerpt(both.get(0), finding, told),
            excerpt(both.get(1), finding, told)),
        now);
  }

  private static ObjectNode excerpt(NamedEntry entry, ReportedFinding finding, JsonNode told) {
    String name = entry.key().equals(finding.keys().getFirst()) ? "a" : "b";
    int match = told.at("/evidence/passages/" + name + "/start").asInt();
    return excerpt(entry.entry().text().content(), match, Optional.of(entry.key()));
  }

  /** Whether an entry of a question has changed or is gone since the question was asked. */
  static boolean isStale(AgentQuestion question, PresentEntries present) {
    return !question.keys().isEmpty()
        && id(question.keys(), present).filter(question.id()::equals).isEmpty();
  }
}
