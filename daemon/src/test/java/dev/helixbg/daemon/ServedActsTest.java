package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.insight.acts.StandInHelix;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short version of scripts/check-helix, which makes more acts, also with the real helix. */
class ServedActsTest {
  @Test
  void noActHitsAnotherNote(@TempDir Path folder) throws Exception {
    ServedActs acts = new ServedActs(new Kb(folder), new StandInHelix(), 28);
    acts.run(300);
    Map<String, Integer> counts = acts.counts();
    for (String kind : new String[] {"copies", "relation", "merge", "topic-overlap"}) {
      assertTrue(counts.getOrDefault("carried out: " + kind, 0) > 5, kind + " in " + counts);
    }
    assertTrue(counts.get("stale") > 20, counts.toString());
    for (String what :
        new String[] {
          "stopped by a check",
          "stopped by the look before the first edit",
          "carried out late, or after others wrote",
          "carried out while others wrote"
        }) {
      assertTrue(counts.getOrDefault(what, 0) > 10, what + " in " + counts);
    }
  }
}
