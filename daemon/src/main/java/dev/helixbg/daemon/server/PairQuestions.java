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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Pairs as an agent is asked about them. Nothing but its texts is given, by which a pair whose
 * truth is known could be told from others.
 */
final class PairQuestions {
  /** Longest part of a text that is given, in characters. */
  static final int MOST_SHOWN = 800;

  /** The same in tokens, estimated: a pair with its answer costs at most 600. */
  private static final int MOST_TOKENS = 240;

  /** Characters of context before the matching part. */
  private static final int BEFORE = 120;

  private PairQuestions() {}

  /**
   * A text as it is given, from where it matches the other one: {@code omitted} says how many
   * characters are left out, {@code entry} where it can be read on.
   *
   * @param key of its entry; empty where there is none
   */
  static ObjectNode excerpt(String content, int match, Optional<String> key) {
    int room = Math.min(MOST_SHOWN, content.length());
    String shown = excerpt(content, match, room);
    int tokens = tokens(shown);
    while (tokens > MOST_TOKENS) { // a script that takes a token for each character
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
   * @param keys of both entries, the older one first; none of a pair whose truth is known
   */
  static QuestionRequests.Given given(
      String id, List<String> keys, ObjectNode older, ObjectNode newer, Instant now) {
    ObjectNode texts = Json.object();
    texts.set("older", older);
    texts.set("newer", newer);
    int characters = texts.at("/older/text").asText().length();
    characters += texts.at("/newer/text").asText().length();
    return new QuestionRequests.Given(
        new AgentQuestion(id, QuestionKind.PAIR, keys, characters, now), texts);
  }

  static QuestionRequests.Given of(KnownPairs.Known known, Instant now) {
    return given(
        known.id(),
        List.of(),
        excerpt(known.older(), 0, Optional.empty()),
        excerpt(known.newer(), 0, Optional.empty()),
        now);
  }

  /**
   * The relations about which an agent may be asked.
   *
   * @param all number of them, of which {@code first} has the first few
   */
  record Open(List<QuestionRequests.Given> first, int all) {}

  /**
   * Gives those that lead, then those of which the pair judge is least sure, then those that it has
   * not read.
   *
   * @param said by agents until now
   * @param taken ids of questions that are not to be asked
   * @param most number of relations whose texts are read
   */
  static Open open(
      FindingRequests findings, AgentAnswers said, Set<String> taken, int most, Instant now) {
    LastReport.Listing listing = findings.store().report().list();
    Decisions decisions = findings.store().decisions().read();
    PresentEntries present = findings.present().entries();
    Map<ReportedFinding, String> ids = new HashMap<>();
    Set<String> known = new HashSet<>(taken);
    List<ReportedFinding> pairs = new ArrayList<>();
    FindingRequests.open(listing, decisions, one -> one.rank().isPresent()).stream()
        .filter(one -> decisions.opinionOn(one.id()).isEmpty())
        .limit(Findings.shownRelations(present.all().size()))
        .forEach(
            one ->
                both(one.keys(), present)
                    .map(both -> AgentQuestion.of(both.get(0), both.get(1)))
                    .filter(id -> !said.isSettled(id) && known.add(id))
                    .ifPresent(
                        id -> {
                          ids.put(one, id);
                          pairs.add(one);
                        }));
    Map<String, Double> acts = findings.store().report().acts();
    pairs.sort(
        Comparator.comparing((ReportedFinding one) -> !one.leads())
            .thenComparingDouble(
                one -> one.leads() ? 0 : Math.abs(acts.getOrDefault(one.id(), 1.5) - 0.5)));
    List<ReportedFinding> first = pairs.subList(0, Math.min(most, pairs.size()));
    Map<ReportedFinding, JsonNode> told = findings.store().report().told(first);
    return new Open(
        first.stream()
            .filter(told::containsKey) // else a new report came just now
            .map(one -> of(one, ids.get(one), told.get(one), present, now))
            .toList(),
        pairs.size());
  }

  /** The entries of a pair that are there now, the older one first. */
  private static Optional<List<NamedEntry>> both(List<String> keys, PresentEntries present) {
    return present
        .of(keys)
        .filter(found -> found.size() == 2)
        .map(both -> both.get(0).isOlderThan(both.get(1)) ? both : both.reversed());
  }

  private static QuestionRequests.Given of(
      ReportedFinding finding, String id, JsonNode told, PresentEntries present, Instant now) {
    List<NamedEntry> both = both(finding.keys(), present).orElseThrow();
    return given(
        id,
        both.stream().map(NamedEntry::key).toList(),
        excerpt(both.get(0), finding, told),
        excerpt(both.get(1), finding, told),
        now);
  }

  private static ObjectNode excerpt(NamedEntry entry, ReportedFinding finding, JsonNode told) {
    String name = entry.key().equals(finding.keys().getFirst()) ? "a" : "b";
    int match = told.at("/evidence/passages/" + name + "/start").asInt();
    return excerpt(entry.entry().text().content(), match, Optional.of(entry.key()));
  }

  /** Whether one of the texts that a question is about is not there any more. */
  static boolean isStale(AgentQuestion question, PresentEntries present) {
    return !question.keys().isEmpty()
        && both(question.keys(), present)
            .map(both -> AgentQuestion.of(both.get(0), both.get(1)))
            .filter(question.id()::equals)
            .isEmpty();
  }
}
