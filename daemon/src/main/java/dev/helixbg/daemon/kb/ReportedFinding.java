package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A finding as the last report lists it, without its texts.
 *
 * @param section of report.json in which it is
 * @param kind one of {@link #KINDS}
 * @param rank place in the list of relations, from 1; of relations only
 * @param about which entries or topics, for people
 * @param topics those of the entries, or the topics themselves
 * @param keys of the two entries of a pair; of others none
 */
public record ReportedFinding(
    String section,
    String id,
    String kind,
    OptionalInt rank,
    double similarity,
    String about,
    Set<String> topics,
    List<String> keys) {

  /** What findings are called. */
  public static final List<String> KINDS =
      List.of("relation", "near-duplicate", "topic overlap", "cross-link", "misfiled", "merge");

  /** All ids under which it may have been decided on. */
  public Set<String> aliases() {
    return keys.isEmpty() ? Set.of(id) : Finding.idsOfPair(id, keys.get(0), keys.get(1));
  }

  /**
   * @param json an element of a section
   */
  static ReportedFinding of(String section, JsonNode json) {
    return switch (section) {
      case "nearDuplicates" -> pair(section, "near-duplicate", OptionalInt.empty(), json);
      case "crossLinks" -> pair(section, "cross-link", OptionalInt.empty(), json);
      case "relations" ->
          pair(section, "relation", OptionalInt.of(json.path("rank").asInt()), json);
      case "topicOverlaps" -> {
        String a = json.path("a").asText();
        String b = json.path("b").asText();
        yield single(
            section,
            "topic overlap",
            json.path("similarity").asDouble(),
            a + " ~ " + b,
            a,
            b,
            json);
      }
      case "misfiled" -> {
        String nearer = json.path("nearer").asText();
        yield single(
            section,
            "misfiled",
            json.path("other").asDouble(),
            json.at("/entry/name").asText() + " > " + nearer,
            json.at("/entry/topic").asText(),
            nearer,
            json);
      }
      case "merges" -> merge(section, json);
      default -> throw new IllegalArgumentException("no findings are in " + section);
    };
  }

  private static ReportedFinding pair(
      String section, String kind, OptionalInt rank, JsonNode json) {
    List<String> keys =
        json.at("/a/key").isTextual()
            ? List.of(json.at("/a/key").asText(), json.at("/b/key").asText())
            : List.of();
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        kind,
        rank,
        json.path("similarity").asDouble(),
        json.at("/a/name").asText() + " ~ " + json.at("/b/name").asText(),
        topics(json.at("/a/topic").asText(), json.at("/b/topic").asText()),
        keys);
  }

  private static ReportedFinding single(
      String section,
      String kind,
      double similarity,
      String about,
      String one,
      String other,
      JsonNode json) {
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        kind,
        OptionalInt.empty(),
        similarity,
        about,
        topics(one, other),
        List.of());
  }

  private static ReportedFinding merge(String section, JsonNode json) {
    List<String> names = new ArrayList<>();
    Set<String> topics = new LinkedHashSet<>();
    for (JsonNode entry : json.path("entries")) {
      String name = entry.asText(); // ends in the place of the entry in its topic
      names.add(name);
      topics.add(name.substring(0, Math.max(0, name.lastIndexOf(':'))));
    }
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        "merge",
        OptionalInt.empty(),
        1,
        String.join(" ~ ", names),
        topics,
        List.of());
  }

  private static Set<String> topics(String one, String other) {
    return one.equals(other) ? Set.of(one) : Set.of(one, other);
  }
}
