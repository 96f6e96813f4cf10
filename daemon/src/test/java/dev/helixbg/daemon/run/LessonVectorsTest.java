package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.lessons.SentenceVectors;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that only new lessons open the embedding model. */
class LessonVectorsTest {
  @TempDir(factory = InMemory.class)
  Path folder;

  @Test
  void whatIsKnownIsNotEmbeddedAgain() throws Exception {
    FakeModel model = new FakeModel();
    try (Database database = TestDatabase.in(folder, VectorStore.TABLE)) {
      SentenceVectors vectors = TextVectors.ofLessons(database, model);
      List<float[]> made = vectors.of(List.of("one", "two"));
      assertArrayEquals(FakeEmbedder.vectorOf("two"), made.get(1));
      assertEquals(1, model.opened.get());
      assertArrayEquals(made.get(0), vectors.of(List.of("two", "one")).get(1));
      assertEquals(1, model.opened.get());
      vectors.of(List.of("one", "three"));
      assertEquals(2, model.opened.get());
    }
  }
}
