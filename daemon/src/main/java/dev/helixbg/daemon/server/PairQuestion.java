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
 * A pair as an agent is asked about it. Nothing but its texts is given, by which a pair whose truth
 * is known could be told from others.
 *
 * @param keys of both entries, the older one first; none of a pair whose truth is known
 */
record PairQuestion(String id, List<String> keys, Text older, Text newer) {
  /** Longest part of a text that is given, in characters. */
  static final int MOST_SHOWN = 800;

  /** The same in tokens, estimated: a pair with its answer costs at most 600. */
  private static final int MOST_TOKENS = 240;

  /** Characters of context before the matching part. */
  private static final int BEFORE = 120;

  /**
   * A text, from where it matches the other one.
   *
   * @param key of its entry; empty where there is none
   */
  record Text(String content, int match, Optional<String> key) {
    private Side side() {
      return Side.of(content, match, key);
    }
  }

  /**
   * A text as it is given.
   *
   * @param omitted how many characters of it are not
   * @param entry where it can be read on
   */
  record Side(String text, int omitted, Optional<String> entry) {

    static Side of(String content, int match, Optional<String> entry) {
      int room = Math.min(MOST_SHOWN, content.length());
      while (true) {
        String shown = shown(content, match, room);
        int tokens = Passage.estimatedTokens(TextNode.valueOf(shown).toString(), MOST_SHOWN);
        if (tokens <= MOST_TOKENS) {
          return new Side(PrintableText.block(shown), content.length() - room, entry);
        }
        room = room * MOST_TOKENS / tokens; // a script that takes a token for each character
      }
    }

    private static String shown(String content, int match, int room) {
      int from = Math.clamp(match - BEFORE, 0, content.length() - room);
      if (from > 0 && Character.isLowSurrogate(content.charAt(from))) {
        from++;
      }
      return (from > 0 ? "…" : "") + PrintableText.beginning(content.substring(from), room);
    }

    ObjectNode toJson() {
      ObjectNode json = Json.object().put("text", text);
      if (omitted > 0) {
        json.put("omitted", omitted);
        entry.ifPresent(key -> json.put("entry", key));
      }
      return json;
    }
  }

  static PairQuestion of(KnownPairs.Known known) {
    return new PairQuestion(
        known.id(),
        List.of(),
        new Text(known.older(), 0, Optional.empty()),
        new Text(known.newer(), 0, Optional.empty()));
  }

  /**
   * The relations about which an agent may be asked.
   *
   * @param all number of them, of which {@code first} has the first few
   */
  record Open(List<PairQuestion> first, int all) {}

  /**
   * Gives those that lead, then those of which the pair judge is least sure, then those that it has
   * not read.
   *
   * @param said by agents until now
   * @param taken ids of questions that are not to be asked
   * @param most number of relations whose texts are read
   */
  static Open open(FindingRequests findings, AgentAnswers said, Set<String> taken, int most) {
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
            .map(one -> of(one, ids.get(one), told.get(one), present))
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

  private static PairQuestion of(
      ReportedFinding finding, String id, JsonNode told, PresentEntries present) {
    List<NamedEntry> both = both(finding.keys(), present).orElseThrow();
    return new PairQuestion(
        id,
        both.stream().map(NamedEntry::key).toList(),
        text(both.get(0), finding, told),
        text(both.get(1), finding, told));
  }

  private static Text text(NamedEntry entry, ReportedFinding finding, JsonNode told) {
    String name = entry.key().equals(finding.keys().getFirst()) ? "a" : "b";
    return new Text(
        entry.entry().text().content(),
        told.at("/evidence/passages/" + name + "/start").asInt(),
        Optional.of(entry.key()));
  }

  /** Whether one of the texts that a question is about is not there any more. */
  static boolean isStale(AgentQuestion question, PresentEntries present) {
    return !question.keys().isEmpty()
        && both(question.keys(), present)
            .map(both -> AgentQuestion.of(both.get(0), both.get(1)))
            .filter(question.id()::equals)
            .isEmpty();
  }

  GivenQuestion given(Instant now) {
    Side first = older.side();
    Side second = newer.side();
    int characters = first.text().length() + second.text().length();
    ObjectNode texts = Json.object();
    texts.set("older", first.toJson());
    texts.set("newer", second.toJson());
    return new GivenQuestion(
        new AgentQuestion(id, QuestionKind.PAIR, keys, characters, now), texts);
  }
}
