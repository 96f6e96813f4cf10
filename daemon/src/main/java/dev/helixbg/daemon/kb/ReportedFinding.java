package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.findings.Finding;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A finding as the last report lists it.
 *
 * @param kind such as {@code relation}, one of {@link #KINDS}
 * @param rank place in the list of relations, from 1; of relations only
 * @param similarity what speaks for it; nothing of merges
 * @param about which entries or topics, for people
 * @param topics of the entries, or the topics themselves
 * @param aliases all ids under which it may have been decided on
 */
public record ReportedFinding(
    String id,
    String kind,
    OptionalInt rank,
    OptionalDouble similarity,
    String about,
    Set<String> topics,
    Set<String> aliases) {

  /** In the order in which they are listed. */
  public static final List<String> KINDS =
      List.of("relation", "near-duplicate", "topic overlap", "cross-link", "misfiled", "merge");

  private static final List<String> FIELDS =
      List.of("relations", "nearDuplicates", "topicOverlaps", "crossLinks", "misfiled", "merges");

  private static final JsonFactory JSON = new ObjectMapper().getFactory();

  /**
   * All findings of the last report, the most telling kind first. One is read at a time: the report
   * of a large knowledge base has megabytes.
   *
   * @throws Failure with {@link ExitCode#KB} when there is no report
   */
  public static List<ReportedFinding> of(Kb kb) {
    Path file = ReportFolder.of(kb).json();
    List<List<ReportedFinding>> byKind = new ArrayList<>();
    KINDS.forEach(kind -> byKind.add(new ArrayList<>()));
    try {
      PrivateFiles.requireFile(file);
      try (JsonParser json = JSON.createParser(file.toFile())) {
        json.nextToken();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          int kind = FIELDS.indexOf(json.currentName());
          if (json.nextToken() == JsonToken.START_ARRAY && kind >= 0) {
            while (json.nextToken() == JsonToken.START_OBJECT) {
              of(json.readValueAsTree(), KINDS.get(kind)).ifPresent(byKind.get(kind)::add);
            }
          } else {
            json.skipChildren();
          }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
          throw damaged(file);
        }
      }
    } catch (NoSuchFileException | java.io.FileNotFoundException e) {
      throw new Failure(
          ExitCode.KB, "there is no report yet in " + kb.insights() + ": run helix-bg one-shot");
    } catch (JacksonException e) {
      throw damaged(file);
    } catch (IOException e) {
      throw new Failure(ExitCode.KB, "cannot read " + file + ": " + Reasons.of(e));
    }
    return byKind.stream().flatMap(List::stream).toList();
  }

  private static Failure damaged(Path file) {
    return new Failure(ExitCode.KB, file + " is damaged: run helix-bg one-shot to write it anew");
  }

  private static Optional<ReportedFinding> of(JsonNode json, String kind) {
    String id = json.path("id").asText();
    if (!Decision.isId(id)) {
      return Optional.empty();
    }
    return Optional.of(
        switch (kind) {
          case "topic overlap" ->
              finding(id, kind, json.path("similarity"), " ~ ", List.of(), topics(json));
          case "misfiled" ->
              finding(
                  id,
                  kind,
                  json.path("other"),
                  " > ",
                  List.of(json.at("/entry/name").asText()),
                  List.of(json.at("/entry/topic").asText(), json.path("nearer").asText()));
          case "merge" -> merge(id, json);
          default -> pair(id, kind, json);
        });
  }

  private static List<String> topics(JsonNode overlap) {
    return List.of(overlap.path("a").asText(), overlap.path("b").asText());
  }

  /**
   * @param names of entries, before the last topic if there are any
   */
  private static ReportedFinding finding(
      String id,
      String kind,
      JsonNode similarity,
      String between,
      List<String> names,
      List<String> topics) {
    List<String> about = new ArrayList<>(names);
    about.addAll(names.isEmpty() ? topics : List.of(topics.getLast()));
    return new ReportedFinding(
        id,
        kind,
        OptionalInt.empty(),
        OptionalDouble.of(similarity.asDouble()),
        String.join(between, about),
        Set.copyOf(new LinkedHashSet<>(topics)),
        Set.of(id));
  }

  /** Names end in the place of the entry in its topic. */
  private static ReportedFinding merge(String id, JsonNode json) {
    List<String> names = new ArrayList<>();
    Set<String> topics = new LinkedHashSet<>();
    for (JsonNode entry : json.path("entries")) {
      String name = entry.asText();
      names.add(name);
      topics.add(name.substring(0, Math.max(0, name.lastIndexOf(':'))));
    }
    return new ReportedFinding(
        id,
        "merge",
        OptionalInt.empty(),
        OptionalDouble.empty(),
        String.join(" ~ ", names),
        topics,
        Set.of(id));
  }

  private static ReportedFinding pair(String id, String kind, JsonNode json) {
    boolean ranked = kind.equals("relation");
    return new ReportedFinding(
        id,
        kind,
        ranked ? OptionalInt.of(json.path("rank").asInt()) : OptionalInt.empty(),
        OptionalDouble.of(json.path("similarity").asDouble()),
        json.at("/a/name").asText() + " ~ " + json.at("/b/name").asText(),
        Set.copyOf(
            new LinkedHashSet<>(
                List.of(json.at("/a/topic").asText(), json.at("/b/topic").asText()))),
        Finding.idsOfPair(id, json.at("/a/key").asText(), json.at("/b/key").asText()));
  }
}
