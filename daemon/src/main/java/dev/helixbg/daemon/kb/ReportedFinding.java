package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.FindingIds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A finding as the last report lists it, without its texts.
 *
 * @param section of report.json in which it is
 * @param kind one of {@link #KINDS}
 * @param rank place in the list of relations, from 1; of relations only
 * @param about which entries or topics, for people
 * @param topics those of the entries, or the topics themselves
 * @param keys of its entries, in the order in which it names them; none where it names topics
 * @param named what its entry names in source code; of moved sources only
 */
public record ReportedFinding(
    String section,
    String id,
    String kind,
    OptionalInt rank,
    double similarity,
    String about,
    Set<String> topics,
    List<String> keys,
    Optional<String> named) {

  private static final Set<String> PAIRS = Set.of("nearDuplicates", "crossLinks", "relations");

  /** The section of what became of source code. */
  public static final String MOVED_SOURCES = "movedSources";

  /** Between an entry and what it names. */
  private static final String NAMES = " > ";

  /** Of a group, in what is said to people. */
  private static final int NAMED = 20;

  /** What findings are called, the kind most worth acting on first. */
  public static final List<String> KINDS =
      List.of(
          "copies",
          "near-duplicate",
          "merge",
          "relation",
          "source",
          "misfiled",
          "junk",
          "topic overlap",
          "cross-link");

  /** Equal to that of another finding which tells of the same pair; else of itself alone. */
  public String subject() {
    return isPair()
        ? keys.stream().sorted().collect(Collectors.joining(" ")) + FindingIds.number(id)
        : id;
  }

  private boolean isPair() {
    return PAIRS.contains(section) && keys.size() == 2;
  }

  /** All ids under which it may have been decided on. */
  public Set<String> aliases() {
    return isPair() ? Finding.idsOfPair(id, keys.get(0), keys.get(1)) : Set.of(id);
  }

  /**
   * @param json an element of a section
   */
  static ReportedFinding of(String section, JsonNode json) {
    return switch (section) {
      case "nearDuplicates" -> pair(section, "near-duplicate", json);
      case "crossLinks" -> pair(section, "cross-link", json);
      case "relations" -> pair(section, "relation", json);
      case "topicOverlaps" -> {
        String a = json.path("a").asText();
        String b = json.path("b").asText();
        yield of(section, "topic overlap", json, "similarity", a + " ~ " + b, a, b, List.of());
      }
      case "misfiled" -> {
        String nearer = json.path("nearer").asText();
        JsonNode entry = json.path("entry");
        String about = entry.path("name").asText() + NAMES + nearer;
        String topic = entry.path("topic").asText();
        List<String> key = List.of(entry.path("key").asText());
        yield of(section, "misfiled", json, "other", about, topic, nearer, key);
      }
      case MOVED_SOURCES -> {
        String named = json.path("named").asText();
        String what = named + ", " + json.path("change").asText();
        yield ofEntry(section, "source", json, what, Optional.of(named));
      }
      case "junk" -> ofEntry(section, "junk", json, json.path("reason").asText(), Optional.empty());
      case "merges" -> group(section, "merge", json);
      case "copies" -> group(section, "copies", json);
      default -> throw new IllegalArgumentException("no findings are in " + section);
    };
  }

  /**
   * @param what is found about the entry
   */
  private static ReportedFinding ofEntry(
      String section, String kind, JsonNode json, String what, Optional<String> named) {
    JsonNode entry = json.path("entry");
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        kind,
        OptionalInt.empty(),
        1,
        entry.path("name").asText() + NAMES + what,
        Set.of(entry.path("topic").asText()),
        List.of(entry.path("key").asText()),
        named);
  }

  private static ReportedFinding pair(String section, String kind, JsonNode json) {
    JsonNode a = json.path("a");
    JsonNode b = json.path("b");
    return of(
        section,
        kind,
        json,
        "similarity",
        a.path("name").asText() + " ~ " + b.path("name").asText(),
        a.path("topic").asText(),
        b.path("topic").asText(),
        a.path("key").isTextual()
            ? List.of(a.path("key").asText(), b.path("key").asText())
            : List.of());
  }

  /**
   * @param similarity the field that has it
   */
  private static ReportedFinding of(
      String section,
      String kind,
      JsonNode json,
      String similarity,
      String about,
      String one,
      String other,
      List<String> keys) {
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        kind,
        section.equals("relations")
            ? OptionalInt.of(json.path("rank").asInt())
            : OptionalInt.empty(),
        json.path(similarity).asDouble(),
        about,
        one.equals(other) ? Set.of(one) : Set.of(one, other),
        keys,
        Optional.empty());
  }

  /** A merge names its entries, and has their keys beside; copies are entries. */
  private static ReportedFinding group(String section, String kind, JsonNode json) {
    List<String> names = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    Set<String> topics = new LinkedHashSet<>();
    for (JsonNode entry : json.path("entries")) {
      String name = entry.isObject() ? entry.path("name").asText() : entry.asText();
      names.add(name);
      // Else it ends in the place of the entry in its topic.
      topics.add(
          entry.has("topic")
              ? entry.path("topic").asText()
              : name.substring(0, Math.max(0, name.lastIndexOf(':'))));
      if (entry.isObject()) {
        keys.add(entry.path("key").asText());
      }
    }
    json.path("keys").forEach(key -> keys.add(key.asText()));
    return new ReportedFinding(
        section,
        json.path("id").asText(),
        kind,
        OptionalInt.empty(),
        json.path("density").asDouble(1),
        joined(names),
        topics,
        List.copyOf(keys),
        Optional.empty());
  }

  /** The same, where its entries are called otherwise now. */
  public ReportedFinding about(List<String> names) {
    String now =
        Set.of("misfiled", "junk", MOVED_SOURCES).contains(section)
            ? names.getFirst() + about.substring(about.lastIndexOf(NAMES))
            : joined(names);
    return new ReportedFinding(section, id, kind, rank, similarity, now, topics, keys, named);
  }

  private static String joined(List<String> names) {
    return String.join(" ~ ", names.subList(0, Math.min(NAMED, names.size())))
        + (names.size() > NAMED ? " and %d more".formatted(names.size() - NAMED) : "");
  }
}
