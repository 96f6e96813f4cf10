package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares a KB's store and report with those that the built program makes anew from the same log
 * and decisions. Vectors may differ as much as padding changes them. Findings and answers must be
 * equal and, with a copy of the store, also the bytes of the reports.
 */
final class FromNothing {
  private static final double TOLERANCE = 1e-5;

  private final Kb kb;
  private final Path scratch;
  private final RealDaemon program;

  /**
   * @param scratch work folder; its content is deleted
   * @param program program with the settings by which the KB's files were made
   */
  FromNothing(Kb kb, Path scratch, RealDaemon program) {
    this.kb = kb;
    this.scratch = scratch;
    this.program = program;
  }

  /**
   * @throws IllegalStateException when something differs
   */
  void compare() throws IOException, InterruptedException {
    Torture.delete(scratch);
    Kb fresh = copy("fresh");
    // An earlier case may have left a store for this path, with vectors of texts that are gone.
    Torture.delete(ProgramStores.folder(program.stores().settings().state(), fresh.folder()));
    List<Decision> settled =
        program
            .stores()
            .with(kb.folder(), store -> List.copyOf(store.decisions().read().settled()));
    program
        .stores()
        .with(
            fresh.folder(),
            store -> {
              if (!settled.isEmpty()) {
                store.decisions().add(settled);
              }
              return null;
            });
    program.run("one-shot", fresh.folder().toString());
    compareVectors(fresh);
    TreeSet<String> expected = ids(fresh);
    TreeSet<String> found = ids(kb);
    if (!expected.equals(found)) {
      throw new IllegalStateException("other findings: " + expected + " but " + found);
    }
    Set<String> answers = new HashSet<>(program.stores().answers(kb.folder()));
    for (String answer : program.stores().answers(fresh.folder())) {
      if (!answers.contains(answer)) {
        throw new IllegalStateException("other answer than " + answer);
      }
    }
    Kb same = copy("same-store");
    Path state = program.stores().settings().state();
    ProgramStores.copy(state, kb.folder(), state, same.folder());
    program.run("one-shot", same.folder().toString());
    for (String file : List.of("report.json", "report.md", "report.html", "../embeddings.bin")) {
      Path once = same.insights().resolve(file);
      if (Files.mismatch(once, kb.insights().resolve(file)) >= 0) {
        throw new IllegalStateException(file + " is not the one that one-shot makes");
      }
    }
  }

  private Kb copy(String name) throws IOException {
    Kb copy = new Kb(Files.createDirectories(scratch.resolve(name)));
    Files.copy(kb.dataLog(), copy.dataLog());
    return copy;
  }

  private void compareVectors(Kb fresh) {
    Map<TextKey, float[]> expected = vectors(fresh);
    Map<TextKey, float[]> found = vectors(kb);
    double worst = 0;
    for (TextKey key : expected.keySet()) {
      float[] one = expected.get(key);
      float[] other = found.get(key);
      if (other == null) {
        throw new IllegalStateException("a vector is missing");
      }
      for (int k = 0; k < one.length; k++) {
        worst = Math.max(worst, Math.abs(one[k] - other[k]));
      }
    }
    if (worst > TOLERANCE) {
      throw new IllegalStateException("vectors are off by " + worst);
    }
  }

  private Map<TextKey, float[]> vectors(Kb of) {
    return program
        .stores()
        .with(of.folder(), store -> VectorStore.ofEntries(store.database()).read().byKey());
  }

  private static TreeSet<String> ids(Kb kb) throws IOException {
    JsonNode report = DaemonFixture.report(kb);
    TreeSet<String> ids = new TreeSet<>();
    report.findValues("id").forEach(id -> ids.add(id.asText()));
    return ids;
  }
}
