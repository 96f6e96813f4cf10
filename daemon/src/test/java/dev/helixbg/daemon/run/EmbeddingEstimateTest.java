package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the remaining time that a progress bar estimates. A fake model takes as much time as a real
 * model, on a clock of the test. Since the longest texts come first, an estimate by the number of
 * texts would be more than twice too long.
 */
class EmbeddingEstimateTest {
  @TempDir Path kb;

  private double now;

  /** Takes texts in batches of 512 tokens, the longest first and padded to it, as MiniLm does. */
  private final class TimedEmbedder implements Embedder {
    @Override
    public void embed(List<String> texts, VectorSink sink) {
      List<Integer> order =
          IntStream.range(0, texts.size())
              .boxed()
              .sorted(Comparator.comparingInt(i -> -tokens(texts.get(i))))
              .toList();
      for (int from = 0; from < order.size(); ) {
        int width = tokens(texts.get(order.get(from)));
        int to = Math.min(order.size(), from + Math.max(1, 512 / width));
        now += (to - from) * (double) width * (12 * 384 + 2 * width);
        for (int i : order.subList(from, to)) {
          sink.accept(i, FakeEmbedder.vectorOf(texts.get(i)));
        }
        from = to;
      }
    }

    /** A word has 1.3 tokens on average; the estimate counts characters instead. */
    private static int tokens(String text) {
      return Math.min(256, 2 + (int) (1.3 * text.split(" ").length));
    }

    @Override
    public void close() {}
  }

  private record Moment(double time, long done) {}

  private final class Bar implements Progress {
    private final List<Moment> moments = new ArrayList<>();
    private final double start = now;
    private final long things;
    private final long work;
    private long done;

    Bar(long things, long work) {
      this.things = things;
      this.work = work;
    }

    @Override
    public void step(long items, long part) {
      done += part;
      moments.add(new Moment(now - start, done));
    }

    /**
     * Returns the largest error of the estimate after a tenth of the time, as a share of all time.
     */
    double worst() {
      assertEquals(work, done);
      assertEquals(things, moments.size());
      double took = moments.getLast().time();
      double worst = 0;
      for (Moment moment : moments) {
        if (moment.time() >= took / 10) {
          double left = moment.time() * (work - moment.done()) / moment.done();
          worst = Math.max(worst, Math.abs(left - (took - moment.time())) / took);
        }
      }
      return worst;
    }
  }

  private static List<Entry> entries(int count, IntUnaryOperator words) {
    Random random = new Random(7);
    List<Entry> entries = new ArrayList<>();
    long offset = 8;
    for (int i = 0; i < count; i++) {
      StringBuilder body = new StringBuilder("n" + i);
      for (int w = words.applyAsInt(i); w > 0; w--) {
        body.append(' ').append("abcdefgh", 0, 3 + random.nextInt(5));
        body.append(random.nextInt(12) == 0 ? "." : "");
      }
      String text = body.toString();
      entries.add(new Entry(offset, "topic", text, 0, EntryText.parse(text)));
      offset += 100 + text.length();
    }
    return entries;
  }

  private void assertTrueEstimate(int count, IntUnaryOperator words) throws Exception {
    List<Entry> entries = entries(count, words);
    List<Bar> bars = new ArrayList<>();
    Progress.Display display =
        (what, things, work) -> {
          bars.add(new Bar(things, work));
          return bars.getLast();
        };
    try (EmbeddingStage stage =
        new EmbeddingStage(
            TestDatabase.in(Files.createDirectory(kb.resolve("of" + count)), VectorStore.TABLE),
            FakeEmbedder.model("model", TimedEmbedder::new),
            display,
            () -> 0,
            new LogReading(entries, new LogAccount(0, "", count, 0, count, List.of())))) {
      stage.run();
    }
    assertTrue(!bars.isEmpty());
    for (Bar bar : bars) {
      assertTrue(bar.worst() < 0.2, "off by " + bar.worst());
    }
  }

  @Test
  void whatIsLeftIsToldWithinAFifthFromTheFirstTenthOn() throws Exception {
    Random random = new Random(8);
    assertTrueEstimate(600, i -> 10 + random.nextInt(70));
    assertTrueEstimate(601, i -> i % 10 == 0 ? 500 + random.nextInt(2_000) : 5);
    assertTrueEstimate(602, i -> (int) Math.exp(1 + 6 * random.nextDouble()));
    assertTrueEstimate(603, i -> 150);
  }
}
