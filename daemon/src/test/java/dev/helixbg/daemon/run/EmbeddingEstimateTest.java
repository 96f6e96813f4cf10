package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
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
 * What is left of an embedding, as its bar tells it, with a model that takes the time of a real one
 * and a clock of its own: the longest texts come first, and each text counted alike would promise
 * twice the time and more.
 */
class EmbeddingEstimateTest {
  @TempDir Path kb;

  private double now;

  /** In batches of 512 tokens, the longest first, each as wide as its first: as MiniLm does it. */
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

    /** Words have 1.3 tokens, which the estimate does not know. */
    private static int tokens(String text) {
      return Math.min(256, 2 + (int) (1.3 * text.split(" ").length));
    }

    @Override
    public void close() {}
  }

  /** A moment of a bar. */
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
    public void step(long part) {
      done += part;
      moments.add(new Moment(now - start, done));
    }

    /** The worst of what it promises for the whole, from a tenth on, over what it took. */
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

  private void assertTrueEstimate(int count, IntUnaryOperator words) throws Exception {
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
    List<Bar> bars = new ArrayList<>();
    Progress.Display display =
        (what, things, work) -> {
          bars.add(new Bar(things, work));
          return bars.getLast();
        };
    new VectorUpdate(
            new EmbeddingCache(kb.resolve("of" + count)),
            FakeEmbedder.model("model", TimedEmbedder::new),
            () -> {},
            display,
            () -> 0)
        .run(entries, Saving.NOTHING);
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
