package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonReportTest {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.HtmlReportTest#everyFixture")
  void theBytesAreStrictUtf8WithoutCharactersThatAct(Report report) throws IOException {
    byte[] json = KbFixtures.json(report);
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
    assertTrue(text.codePoints().allMatch(c -> c == '\n' || HostileText.isHarmless(c)));
    assertTrue(text.endsWith("}\n"));
    MAPPER.readTree(json);
  }

  /** JSON parsers refuse a whole report if one text has over 20 million characters. */
  @Test
  void itIsReadableHoweverLongWhatEntriesAndModelsSayIs() throws IOException {
    String endless = "x".repeat(21_000_000);
    String[] tags = new String[1_000];
    Arrays.fill(tags, "a tag");
    tags[0] = endless;
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("t", 1, Optional.of(endless), OptionalDouble.empty(), endless, tags);
    NamedEntry b = kb.entry("t", 1, endless);
    kb.relation(a, b, 0.5, NearestPair.nearness(1, 1, endless))
        .damage(8, 1, LogAccount.Kind.TORN_TAIL, endless);
    Judgements said =
        new Judgements(
                Optional.of(endless),
                Map.of(),
                Map.of(),
                Map.of("t", endless),
                List.of(new Judgements.Merge("merge-1", List.of(a, b), endless)),
                Map.of())
            .trusted(Optional.of(new JudgeTrust(1, 1, Map.of(), 1)), Optional.empty());
    byte[] json = KbFixtures.json(KbFixtures.with(kb.report(), said));
    assertTrue(json.length < 500_000, json.length + " bytes");
    JsonNode entry = MAPPER.readTree(json).at("/relations/0/a");
    assertEquals(FindingJson.MAX_TAGS, entry.get("tags").size());
    assertEquals(FindingJson.MAX_LINE, entry.at("/tags/0").textValue().length());
    assertEquals(FindingJson.MAX_LINE, entry.get("source").textValue().length());
    assertEquals(FindingJson.MAX_TEXT, entry.get("text").textValue().length());
    assertEquals(endless.length() - FindingJson.MAX_TEXT, entry.get("textOmitted").intValue());
  }

  @Test
  void hostileTextComesBackAsItWas() throws IOException {
    Report report = KbFixtures.hostile().report();
    JsonNode json = MAPPER.readTree(KbFixtures.json(report));
    List<Finding.Relation> pairs = report.findings().relations();
    for (int i = 0; i < pairs.size(); i++) {
      Entry entry = pairs.get(i).a().entry();
      JsonNode a = json.get("relations").get(i).get("a");
      String content = PrintableText.wellFormed(entry.text().content());
      String text = a.get("text").textValue();
      assertEquals(content.substring(0, text.length()), text);
      assertEquals(content.length(), text.length() + a.get("textOmitted").intValue());
      assertEquals(entry.topic(), a.get("topic").textValue());
      for (int tag = 0; tag < entry.text().tags().size(); tag++) {
        assertEquals(
            PrintableText.wellFormed(entry.text().tags().get(tag)),
            a.get("tags").get(tag).textValue());
      }
    }
    assertEquals(
        PrintableText.wellFormed(KbFixtures.HOSTILE_LINE),
        json.at("/log/damage/0/detail").textValue());
  }

  @Test
  void ofAnEmptyKnowledgeBaseNoTimeIsTold() throws IOException {
    assertTrue(KbFixtures.tree(new KbFixture().report()).get("asOf").isNull());
  }

  /** The tables of docs/report-schema.md list exactly the fields of report.json, in order. */
  @Test
  void theSchemaDocumentNamesEveryFieldInOrder() throws IOException {
    Report all = KbFixtures.everything();
    JsonNode json = MAPPER.readTree(KbFixtures.json(all));
    Map<String, JsonNode> objects = new HashMap<>();
    objects.put("Top level", json);
    objects.put("Log", json.get("log"));
    objects.put("Totals", json.get("totals"));
    objects.put("Topic", json.at("/topics/0"));
    objects.put("Relation", json.at("/relations/0"));
    objects.put("Act", json.at("/relations/0/edit/0"));
    objects.put("Copies", json.at("/copies/0"));
    objects.put("Evidence", json.at("/relations/0/evidence"));
    objects.put("Verdict", json.at("/relations/0/verdict"));
    objects.put("Topic overlap", json.at("/topicOverlaps/0"));
    objects.put("Source", json.at("/sources/0"));
    objects.put("Moved source", json.at("/movedSources/0"));
    objects.put("Secret", json.at("/secrets/0"));
    objects.put("Entry", json.at("/relations/0/a"));
    objects.put("Judgement", json.get("judgement"));
    objects.put("Merge", json.at("/merges/0"));
    objects.put("Lesson", json.at("/lessons/0"));
    objects.put("Lesson trust", json.at("/judgement/lessonTrust"));
    objects.put("Indexed entry", json.at("/entries/0"));
    objects.put("Guess", json.at("/entries/0/guess"));
    Map<String, List<String>> documented = documentedFields();
    objects.forEach(
        (section, object) -> {
          List<String> named =
              documented.get(section).stream().filter(field -> !field.contains("[]")).toList();
          assertEquals(named, fields(object), section);
        });
    assertEquals(
        documented.get("Log").stream()
            .filter(field -> field.startsWith("damage[]."))
            .map(field -> field.substring("damage[].".length()))
            .toList(),
        fields(json.at("/log/damage/0")));
  }

  /** {@link FindingList} lists the same findings as report.json, without their entries' texts. */
  @Test
  void allFindingsAreListedAsTheyAreTold() throws IOException, SQLException {
    Report all = KbFixtures.everything();
    JsonNode json = MAPPER.readTree(KbFixtures.json(all));
    Map<Integer, ReportedFinding> byPlace = new TreeMap<>();
    Map<ReportedFinding, JsonNode> told = new HashMap<>();
    FindingList.pass(
        all,
        (place, finding, line) -> {
          assertFalse(line.contains("\n"), "one line");
          assertNull(byPlace.put(place, finding), "each has a place of its own");
          told.put(finding, parsed(line));
        });
    List<ReportedFinding> listed = List.copyOf(byPlace.values());
    assertEquals(IntStream.range(0, listed.size()).boxed().toList(), List.copyOf(byPlace.keySet()));
    List<String> leading = new ArrayList<>();
    json.path("leading").forEach(id -> leading.add(id.asText()));
    assertFalse(leading.isEmpty());
    int count = 0;
    for (String section : ReportedFinding.SECTIONS) {
      assertFalse(json.path(section).isEmpty(), section);
      int rank = 0;
      for (JsonNode finding : json.path(section)) {
        count++;
        rank++;
        String id = finding.path("id").asText();
        ReportedFinding one =
            listed.stream()
                .filter(each -> each.section().equals(section) && each.id().equals(id))
                .findFirst()
                .orElseThrow();
        assertEquals(finding, told.get(one), "as report.json has it");
        assertEquals(section.equals("relations") ? rank : 0, one.rank().orElse(0));
        assertEquals(leading.contains(id), one.leads());
        for (JsonNode entry : finding.findParents("key")) {
          assertTrue(one.keys().contains(entry.path("key").asText()), section);
          assertTrue(one.topics().contains(entry.path("topic").asText()), section);
          assertTrue(one.about().contains(entry.path("name").asText()), section);
        }
      }
    }
    assertEquals(count, listed.size());
    assertEquals(leading, listed.stream().limit(leading.size()).map(ReportedFinding::id).toList());
    List<String> sections =
        listed.stream().skip(leading.size()).map(ReportedFinding::section).distinct().toList();
    assertEquals(ReportedFinding.SECTIONS.stream().filter(sections::contains).toList(), sections);
  }

  private static JsonNode parsed(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> fields(JsonNode object) {
    List<String> fields = new ArrayList<>();
    object.fieldNames().forEachRemaining(fields::add);
    return fields;
  }

  private static Map<String, List<String>> documentedFields() throws IOException {
    Map<String, List<String>> sections = new HashMap<>();
    String section = "";
    for (String line : Files.readAllLines(Path.of("../docs/report-schema.md"))) {
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (line.startsWith("| `")) {
        String names = line.substring(1, line.indexOf('|', 1));
        for (String name : names.split(",")) {
          sections
              .computeIfAbsent(section, s -> new ArrayList<>())
              .add(name.strip().replace("`", ""));
        }
      }
    }
    return sections;
  }
}
