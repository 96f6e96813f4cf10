package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A knowledge base on a file system where every file is open to everybody, such as FAT. */
class NoModesTest {
  @TempDir Path folder;

  private static List<Entry> notes(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> new Entry(8 + 100L * i, "topic", "note " + i, 0, EntryText.parse("note " + i)))
        .toList();
  }

  private void run(Path kb, int notes) throws InterruptedException {
    new EmbeddingStage(
            new EmbeddingCache(kb),
            FakeEmbedder.model("model", FakeEmbedder::new),
            () -> {},
            Progress.Display.SILENT,
            System::nanoTime)
        .run(notes(notes), Saving.JOURNAL);
  }

  @Test
  void aNewEntryGoesToTheJournalThereToo() throws Exception {
    FaultyDisk disk = new FaultyDisk();
    disk.loseModes();
    Path kb = disk.of(folder);
    run(kb, 100);
    byte[] published = Files.readAllBytes(folder.resolve(EmbeddingCache.VECTORS));
    for (int more = 1; more <= 5; more++) {
      run(kb, 100 + more);
      assertArrayEquals(
          published, Files.readAllBytes(folder.resolve(EmbeddingCache.VECTORS)), "at " + more);
      assertEquals(8 + more * 1556, Files.size(folder.resolve(EmbeddingCache.JOURNAL)));
    }
    assertEquals(105, new EmbeddingCache(folder).read().byKey().size());
    try (var files = Files.list(folder)) {
      assertEquals(3, files.count(), "what was tried is gone");
    }
  }
}
