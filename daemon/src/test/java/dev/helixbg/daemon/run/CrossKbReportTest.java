package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What several KBs have in common. */
class CrossKbReportTest {
  private static final String SHARED = "what both have";

  @TempDir Path folder;

  private final FakeModel model = new FakeModel();

  private void embed(Kb kb) throws InterruptedException {
    new EmbeddingStage(store(kb).database(), model, DaemonFixture.SILENT)
        .run(DataLog.read(kb.dataLog()).entries());
  }

  private KbStore store(Kb kb) {
    return DaemonFixture.store(folder, kb);
  }

  /** Of equally similar pairs those of lower keys come first. */
  private String noisy(Kb scratch) {
    String shared = key(scratch, SHARED);
    for (int i = 0; ; i++) {
      if (key(scratch, "noise " + i).compareTo(shared) < 0) {
        return "noise " + i;
      }
    }
  }

  private String key(Kb scratch, String body) {
    try {
      WritableKb kb = new WritableKb(scratch.folder(), new Random(1));
      kb.append("topic", body);
      return TextKey.of(model.id(), DataLog.read(kb.log()).entries().getFirst().embeddedText())
          .hex();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatOneKbHasByTheThousandHidesNothingThatTwoHave() throws Exception {
    String noise = noisy(new Kb(folder.resolve("scratch")));
    WritableKb one = new WritableKb(folder.resolve("one"), new Random(1));
    WritableKb two = new WritableKb(folder.resolve("two"), new Random(2));
    for (int i = 0; i < 150; i++) { // 11,175 pairs
      one.append("topic", noise);
    }
    one.append("topic", SHARED);
    two.append("topic", SHARED);
    embed(one.kb());
    embed(two.kb());
    Settings settings = DaemonFixture.settings(folder, Map.of());
    Findings found =
        CrossKbReport.of(List.of(store(one.kb()), store(two.kb())), model, settings).findings();
    assertEquals(1, found.copies().size());
    List<NamedEntry> copies = found.copies().getFirst().entries();
    assertEquals(
        List.of("one/topic:150", "two/topic:0"), copies.stream().map(NamedEntry::name).toList());
  }
}
