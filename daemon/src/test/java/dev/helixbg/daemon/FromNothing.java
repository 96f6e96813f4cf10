package dev.helixbg.daemon;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.review.ReviewHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares what is in a KB with what the built program makes of the same log, decisions and reviews
 * from nothing: vectors within what padding changes, the same findings and answers, and, given the
 * same vectors and answers, the same bytes of reports.
 */
final class FromNothing {
  private static final double TOLERANCE = 1e-5;
  private static final double SHARE_TOLERANCE = 1e-3;

  private final Kb kb;
  private final Path scratch;
  private final RealDaemon program;

  /**
   * @param scratch a folder to work in; what was in it is deleted
   * @param program with the settings that the KB's files were made with
   */
  FromNothing(Kb kb, Path scratch, RealDaemon program) {
    this.kb = kb;
    this.scratch = scratch;
    this.program = program;
  }

  /**
   * @return how far vectors are off at most
   * @throws IllegalStateException when something differs
   */
  double compare() throws IOException, InterruptedException {
    Torture.delete(scratch);
    Kb fresh = copy("fresh");
    program.run("one-shot", fresh.folder().toString());
    double worst = compareVectors(fresh);
    TreeSet<String> expected = ids(fresh);
    TreeSet<String> found = ids(kb);
    if (!expected.equals(found)) {
      throw new IllegalStateException("other findings: " + expected + " but " + found);
    }
    compareAnswers(fresh);
    Kb sameVectors = copy("same-vectors");
    EmbeddingCache entries = new EmbeddingCache(kb.folder());
    EmbeddingCache passages = entries.ofPassages();
    for (Path file :
        List.of(
            entries.vectors(), entries.keys(), passages.vectors(), passages.keys(), kb.answers())) {
      if (Files.exists(file)) {
        Files.copy(file, sameVectors.folder().resolve(kb.folder().relativize(file)));
      }
    }
    program.run("one-shot", sameVectors.folder().toString());
    for (String file : List.of("report.json", "report.md", "report.html")) {
      Path once = sameVectors.insights().resolve(file);
      if (Files.mismatch(once, kb.insights().resolve(file)) >= 0) {
        throw new IllegalStateException(file + " is not the one that one-shot makes");
      }
    }
    return worst;
  }

  private Kb copy(String name) throws IOException {
    Kb copy = new Kb(Files.createDirectories(scratch.resolve(name)));
    Files.copy(kb.dataLog(), copy.dataLog());
    Files.createDirectories(copy.insights());
    for (String said : List.of(DecisionFile.NAME, ReviewHistory.NAME)) {
      if (Files.exists(kb.insights().resolve(said))) {
        Files.copy(kb.insights().resolve(said), copy.insights().resolve(said));
      }
    }
    return copy;
  }

  private double compareVectors(Kb fresh) {
    CacheContents a = new EmbeddingCache(fresh.folder()).read();
    CacheContents b = new EmbeddingCache(kb.folder()).read();
    if (b.state() != CacheContents.State.GOOD || a.rows().size() != b.rows().size()) {
      throw new IllegalStateException(
          "%s, %d vectors, not %d: %s"
              .formatted(b.state(), b.rows().size(), a.rows().size(), b.reason()));
    }
    double worst = 0;
    for (int i = 0; i < a.rows().size(); i++) {
      CacheRow one = a.rows().get(i);
      CacheRow other = b.rows().get(i);
      if (one.offset() != other.offset() || !one.key().equals(other.key())) {
        throw new IllegalStateException("another entry at " + one.offset());
      }
      for (int k = 0; k < one.vector().length; k++) {
        worst = Math.max(worst, Math.abs(one.vector()[k] - other.vector()[k]));
      }
    }
    if (worst > TOLERANCE) {
      throw new IllegalStateException("vectors are off by " + worst);
    }
    return worst;
  }

  /** Whatever a run from nothing asks was asked, and answered so; shares differ with the batch. */
  private void compareAnswers(Kb fresh) throws IOException {
    Map<String, JsonNode> found = answers(kb);
    answers(fresh)
        .forEach(
            (question, expected) -> {
              JsonNode answer = found.getOrDefault(question, MissingNode.getInstance());
              double off = Math.abs(expected.path("p").asDouble() - answer.path("p").asDouble());
              if (!expected.path("answer").equals(answer.path("answer")) || off > SHARE_TOLERANCE) {
                throw new IllegalStateException("other answer: " + expected + " but " + answer);
              }
            });
  }

  private static Map<String, JsonNode> answers(Kb kb) throws IOException {
    Map<String, JsonNode> answers = new TreeMap<>();
    if (Files.exists(kb.answers())) {
      for (String line : Files.readAllLines(kb.answers())) {
        try {
          JsonNode answer = new ObjectMapper().readTree(line);
          answers.put(answer.path("job").asText() + " " + answer.path("key").asText(), answer);
        } catch (JacksonException e) {
          continue; // what a kill has torn
        }
      }
    }
    return answers;
  }

  private static TreeSet<String> ids(Kb kb) throws IOException {
    JsonNode report = new ObjectMapper().readTree(ReportFolder.of(kb).json().toFile());
    TreeSet<String> ids = new TreeSet<>();
    report.findValues("id").forEach(id -> ids.add(id.asText()));
    return ids;
  }
}
