package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.decisions.DecisionStore;
import dev.helixbg.insight.decisions.Decisions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how decisions change the list of findings. */
class SettledFindingsTest {
  @TempDir(factory = InMemory.class)
  Path insights;

  private static List<String> ids(Findings findings) {
    return Stream.of(findings.relations(), findings.topicOverlaps())
        .flatMap(List::stream)
        .map(Finding::id)
        .toList();
  }

  /** The report then lists the best remaining findings, with unchanged ids. */
  @Test
  void settledFindingsMakeRoomForTheNextBest() throws IOException {
    int taken = 0;
    for (int seed = 0; seed < 40; seed++) {
      Findings all = Corpus.random(new Random(seed)).analyse(1);
      List<String> shown = ids(all);
      List<Decision> settled = new ArrayList<>();
      for (int i = seed % 2; i < shown.size(); i += 2) {
        settled.add(new Decision(shown.get(i), Outcome.DONE, Instant.EPOCH, ""));
      }
      Path folder = Files.createDirectory(insights.resolve("seed-" + seed));
      try (Database database = TestDatabase.in(folder, DecisionStore.TABLE)) {
        DecisionStore store = new DecisionStore(database);
        store.add(settled);
        Decisions decisions = store.read();
        Findings left = decisions.applyTo(all);
        assertEquals(best(all.relations(), decisions, 200), left.relations());
        assertEquals(best(all.topicOverlaps(), decisions, 10_000), left.topicOverlaps());
        taken += all.relations().size() - left.relations().size();
      }
    }
    assertTrue(taken > 3, taken + " were taken out");
  }

  private static <F extends Finding> List<F> best(List<F> all, Decisions decisions, int most) {
    return all.stream().filter(f -> decisions.on(f.id()).isEmpty()).limit(most).toList();
  }
}
