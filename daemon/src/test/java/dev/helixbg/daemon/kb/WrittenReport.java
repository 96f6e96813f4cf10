package dev.helixbg.daemon.kb;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Sha256;
import dev.helixbg.insight.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** A report with any JSON, as if helix-bg had written it, but synced to no disk. */
public final class WrittenReport {
  private WrittenReport() {}

  /** A report that tells of pairs and copies, with the list of them that a real one has. */
  public static void write(Kb kb, SealedReports reports, ObjectNode report) throws IOException {
    List<ObjectNode> listed = new ArrayList<>();
    for (String section : ReportedFinding.SECTIONS) {
      report.path(section).forEach(finding -> listed.add(listed(section, finding)));
    }
    List<String> leading = new ArrayList<>();
    report.path("leading").forEach(id -> leading.add(id.asText()));
    listed.sort(
        Comparator.comparingInt(
            one -> Math.floorMod(leading.indexOf(one.path("id").asText()), Integer.MAX_VALUE)));
    ObjectNode whole = report.objectNode();
    for (Map.Entry<String, JsonNode> field : report.properties()) {
      if (ReportedFinding.SECTIONS.contains(field.getKey()) && !whole.has("findings")) {
        whole.putArray("findings").addAll(listed);
      }
      if (!field.getKey().equals("findings")) {
        whole.set(field.getKey(), field.getValue());
      }
    }
    write(kb, reports, whole.toString());
  }

  private static ObjectNode listed(String section, JsonNode finding) {
    ObjectNode one = JsonNodeFactory.instance.objectNode().put("section", section);
    one.set("id", finding.path("id"));
    one.set("rank", finding.path("rank"));
    one.set("similarity", finding.path("similarity"));
    List<JsonNode> entries = new ArrayList<>(List.of(finding.path("a"), finding.path("b")));
    finding.path("entries").forEach(entries::add);
    entries.removeIf(JsonNode::isMissingNode);
    entries.forEach(entry -> one.withArray("keys").add(entry.path("key").asText()));
    entries.forEach(entry -> one.withArray("topics").add(entry.path("topic").asText()));
    String about =
        entries.stream().map(entry -> entry.path("name").asText()).collect(joining(" ~ "));
    return one.put("about", about);
  }

  public static void write(Kb kb, SealedReports reports, String json) throws IOException {
    ReportFolder folder = ReportFolder.of(kb);
    Files.createDirectories(kb.insights());
    ReportFolder.Hashes hashes =
        new ReportFolder.Hashes(Sha256.of("html"), Sha256.of("markdown"), Sha256.of(json));
    Files.write(
        kb.insights().resolve(SealedReports.NAME), reports.voucher(kb, hashes).orElseThrow());
    Files.writeString(folder.html(), "html");
    Files.writeString(folder.markdown(), "markdown");
    Files.writeString(folder.json(), json);
  }
}
