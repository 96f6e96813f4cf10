package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.VectorIds;
import dev.helixbg.insight.log.DataLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code verify} says of a journal. */
class KbVerificationTest {
  private static final String JOURNAL = EmbeddingCache.JOURNAL;

  @TempDir Path folder;

  private WritableKb writer;

  @BeforeEach
  void twoVectorsWait() throws Exception {
    writer = new WritableKb(folder, new Random(3));
    for (int i = 0; i < 42; i++) {
      if (i == 40) {
        update(Saving.PUBLISHED);
      }
      writer.append();
    }
    update(Saving.JOURNAL);
  }

  private void update(Saving saving) throws InterruptedException {
    new EmbeddingStage(
            new EmbeddingCache(folder),
            FakeEmbedder.model("m", FakeEmbedder::new),
            () -> {},
            Progress.Display.SILENT,
            System::nanoTime)
        .run(DataLog.read(writer.log()).entries(), saving);
  }

  private KbVerification.Result verified() throws InterruptedException {
    SealedReports reports = new SealedReports(new ReportSeal(folder.resolve("cache")));
    return KbVerification.of(writer.kb(), reports, new VectorIds(List.of("m"), List.of("m")), 256);
  }

  private CheckLine journal() throws InterruptedException {
    List<CheckLine> checks = verified().checks();
    return checks.stream().filter(c -> c.name().equals(JOURNAL)).findFirst().orElseThrow();
  }

  @Test
  void howManyWaitAndThatARunPublishesThem() throws Exception {
    assertEquals(CheckLine.ok(JOURNAL, "2 vectors wait for embeddings.bin, sound"), journal());
    List<String> work = verified().aRunWould();
    assertTrue(work.contains("publish the vectors in " + JOURNAL), work.toString());
    assertFalse(work.toString().contains("embed "), "what waits need not be embedded: " + work);
    update(Saving.PUBLISHED);
    work = verified().aRunWould();
    assertFalse(work.toString().contains(JOURNAL), work.toString());
  }

  @Test
  void aTornOneIsNormalAndADamagedOneAProblem() throws Exception {
    Path file = folder.resolve(JOURNAL);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertEquals(CheckLine.State.NOTE, journal().state());
    assertTrue(verified().aRunWould().contains("embed 1 texts"));
    bytes[50] ^= 1;
    Files.write(file, bytes);
    assertEquals(CheckLine.State.PROBLEM, journal().state());
    assertTrue(journal().detail().contains("1 damaged record"), journal().detail());
  }
}
