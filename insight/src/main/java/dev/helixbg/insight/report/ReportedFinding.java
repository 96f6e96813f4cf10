package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.FindingIds;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A finding without its texts, as report.json lists all of them before it tells of each.
 *
 * @param section of report.json in which it is told, one of {@link #SECTIONS}
 * @param rank place in the list of relations, from 1; of relations only
 * @param about which entries or topics, for people
 * @param topics those of the entries, or the topics themselves
 * @param keys of its entries, in the order in which it names them; none where it names topics
 * @param named what its entry names in source code; of moved sources only
 */
public record ReportedFinding(
    String section,
    String id,
    OptionalInt rank,
    double similarity,
    String about,
    Set<String> topics,
    List<String> keys,
    Optional<String> named) {

  /** The section of what became of source code. */
  public static final String MOVED_SOURCES = "movedSources";

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

  /** Where report.json tells of the kinds, in their order. */
  public static final List<String> SECTIONS =
      List.of(
          "copies",
          "nearDuplicates",
          "merges",
          "relations",
          MOVED_SOURCES,
          "misfiled",
          "junk",
          "topicOverlaps",
          "crossLinks");

  private static final Set<String> PAIRS = Set.of("nearDuplicates", "crossLinks", "relations");

  /** Between an entry and what is found about it. */
  private static final String IS = " > ";

  /** Of a group, in what is said to people. */
  private static final int NAMED = 20;

  /** One of {@link #KINDS}. */
  public String kind() {
    return KINDS.get(SECTIONS.indexOf(section));
  }

  /** Equal to that of another finding which tells of the same pair; else of itself alone. */
  public String subject() {
    if (!isPair()) {
      return id;
    }
    String a = keys.get(0);
    String b = keys.get(1);
    return (a.compareTo(b) < 0 ? a + " " + b : b + " " + a) + FindingIds.number(id);
  }

  private boolean isPair() {
    return PAIRS.contains(section) && keys.size() == 2;
  }

  /** All ids under which it may have been decided on. */
  public Set<String> aliases() {
    return isPair() ? FindingIds.ofPairInAllKinds(id, keys.get(0), keys.get(1)) : Set.of(id);
  }

  /**
   * All findings of a report: what it leads with, then kind by kind.
   *
   * @param moved those of its moved sources that it tells of
   * @param junk likewise
   * @param leading ids of what it leads with, in its order
   */
  static List<ReportedFinding> all(
      Report report,
      List<Finding.MovedSource> moved,
      List<Finding.Junk> junk,
      List<String> leading) {
    Findings findings = report.findings();
    List<ReportedFinding> all = new ArrayList<>();
    findings.copies().forEach(one -> all.add(of("copies", one.id(), 1, one.entries())));
    findings.nearDuplicates().forEach(one -> all.add(pair("nearDuplicates", one)));
    report.judgements().merges().forEach(one -> all.add(of("merges", one.id(), 1, one.entries())));
    int rank = 1;
    for (Finding.Relation one : findings.relations()) {
      all.add(pair("relations", one).ranked(rank++));
    }
    for (Finding.MovedSource one : moved) {
      String what = one.named() + ", " + one.change().title();
      all.add(of(MOVED_SOURCES, one.id(), 1, List.of(one.entry())).saying(what, one.named()));
    }
    for (Finding.Misfiled one : findings.misfiled()) {
      ReportedFinding found = of("misfiled", one.id(), one.other(), List.of(one.entry()));
      found.topics.add(one.nearer());
      all.add(found.saying(one.nearer(), null));
    }
    for (Finding.Junk one : junk) {
      String what = one.reason().title();
      all.add(of("junk", one.id(), 1, List.of(one.entry())).saying(what, null));
    }
    for (Finding.TopicOverlap one : findings.topicOverlaps()) {
      ReportedFinding found = of("topicOverlaps", one.id(), one.similarity(), List.of());
      found.topics.addAll(List.of(one.a(), one.b()));
      all.add(found.about(List.of(one.a(), one.b())));
    }
    findings.crossLinks().forEach(one -> all.add(pair("crossLinks", one)));
    Map<String, Integer> places = new HashMap<>();
    leading.forEach(id -> places.putIfAbsent(id, places.size()));
    all.sort(Comparator.comparingInt(one -> places.getOrDefault(one.id, Integer.MAX_VALUE)));
    return all;
  }

  private static ReportedFinding pair(String section, Finding.OfTwo pair) {
    return of(section, pair.id(), pair.similarity(), List.of(pair.a(), pair.b()));
  }

  private static ReportedFinding of(
      String section, String id, double similarity, List<NamedEntry> entries) {
    Set<String> topics = new LinkedHashSet<>();
    entries.forEach(one -> topics.add(one.entry().topic()));
    String about = joined(entries.stream().map(NamedEntry::name).toList());
    List<String> keys = entries.stream().map(NamedEntry::key).toList();
    return new ReportedFinding(
        section, id, OptionalInt.empty(), similarity, about, topics, keys, Optional.empty());
  }

  private ReportedFinding ranked(int place) {
    return new ReportedFinding(
        section, id, OptionalInt.of(place), similarity, about, topics, keys, named);
  }

  /**
   * @param source what its entry names in source code, or null
   */
  private ReportedFinding saying(String what, String source) {
    return new ReportedFinding(
        section,
        id,
        rank,
        similarity,
        about + IS + what,
        topics,
        keys,
        Optional.ofNullable(source));
  }

  /** The same, where its entries are called otherwise now. */
  public ReportedFinding about(List<String> names) {
    String now =
        Set.of("misfiled", "junk", MOVED_SOURCES).contains(section)
            ? names.getFirst() + about.substring(about.lastIndexOf(IS))
            : joined(names);
    return new ReportedFinding(section, id, rank, similarity, now, topics, keys, named);
  }

  private static String joined(List<String> names) {
    return String.join(" ~ ", names.subList(0, Math.min(NAMED, names.size())))
        + (names.size() > NAMED ? " and %d more".formatted(names.size() - NAMED) : "");
  }

  /** As an element of the list in report.json. */
  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("section", section).put("id", id);
    rank.ifPresentOrElse(place -> json.put("rank", place), () -> json.putNull("rank"));
    json.put("similarity", new BigDecimal(NumberWords.trimmed(similarity, 6)));
    json.put("about", JsonReport.bounded(about));
    ArrayNode of = json.putArray("topics");
    topics.forEach(topic -> of.add(JsonReport.bounded(topic)));
    ArrayNode by = json.putArray("keys");
    keys.forEach(by::add);
    return json.put("named", named.map(JsonReport::line).orElse(null));
  }

  /**
   * @param json at the beginning of what {@link #toJson} gives, afterwards at its end
   */
  public static ReportedFinding read(JsonParser json) throws IOException {
    String section = "";
    String id = "";
    OptionalInt rank = OptionalInt.empty();
    double similarity = 0;
    String about = "";
    List<String> topics = List.of();
    List<String> keys = List.of();
    String named = null;
    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
      JsonToken value = json.nextToken();
      switch (field) {
        case "section" -> section = json.getValueAsString("");
        case "id" -> id = json.getValueAsString("");
        case "rank" ->
            rank = value.isNumeric() ? OptionalInt.of(json.getValueAsInt()) : OptionalInt.empty();
        case "similarity" -> similarity = json.getValueAsDouble();
        case "about" -> about = json.getValueAsString("");
        case "topics" -> topics = texts(value, json);
        case "keys" -> keys = texts(value, json);
        case "named" -> named = json.getValueAsString();
        default -> json.skipChildren();
      }
    }
    return new ReportedFinding(
        section,
        id,
        rank,
        similarity,
        about,
        new LinkedHashSet<>(topics),
        keys,
        Optional.ofNullable(named));
  }

  private static List<String> texts(JsonToken begin, JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (begin == JsonToken.START_ARRAY && json.nextToken() == JsonToken.VALUE_STRING) {
      texts.add(json.getText());
    }
    return texts;
  }
}
