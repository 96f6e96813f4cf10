package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.Review;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews of what the cache of a KB knows. */
class ReviewsTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path folder;

  private final FakeModel model = new FakeModel();
  private Settings settings;
  private WritableKb kb;

  @BeforeEach
  void make() throws Exception {
    settings = DaemonFixture.settings(folder, Map.of());
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
  }

  /** Embeds some entries, as a run does that is interrupted. */
  private void embed(List<Entry> entries) throws InterruptedException {
    new VectorUpdate(
            new EmbeddingCache(kb.kb().folder()),
            model.id(),
            model.maxTokens(),
            model::open,
            Progress.Display.SILENT,
            System::nanoTime)
        .run(entries, Saving.PUBLISHED);
  }

  private Review review(Review.Kind kind) throws InterruptedException {
    Reviews reviews = new Reviews(settings, model.id());
    return reviews.run(
        KbIdentity.of(kb.kb()),
        new Reviews.Wanted(kind, Optional.empty()),
        reviews.subject(kb.kb()),
        Optional.empty(),
        JudgeProgress.SILENT,
        AT,
        () -> false,
        true);
  }

  @Test
  void itemsAreNamedAmongAllEntriesThoughSomeHaveNoVectorYet() throws Exception {
    kb.append("a", "not embedded yet");
    kb.append("a", "said twice");
    kb.append("a", "nor is this");
    kb.append("a", "said twice");
    List<Entry> entries = DataLog.read(kb.log()).entries();
    embed(List.of(entries.get(1)));
    Review.Item item = review(Review.Kind.SESSION).items().getFirst();
    assertEquals("a:3 repeats a:1", item.a() + " " + item.relation() + " " + item.b());
  }
}
