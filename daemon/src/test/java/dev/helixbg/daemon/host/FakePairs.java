package dev.helixbg.daemon.host;

import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A fake pair judge whose result depends only on the two texts. */
public class FakePairs implements PairSource {
  public final AtomicInteger opened = new AtomicInteger();
  public final AtomicInteger read = new AtomicInteger();

  /** Message with which the judge fails; null: it works. */
  public volatile String broken;

  @Override
  public Judge judge() {
    PairCalibration calibration = new PairCalibration(1, 2, 2, 8);
    return new Judge("fake", calibration, calibration);
  }

  @Override
  public PairReader open() {
    if (broken != null) {
      throw new EmbeddingException(broken);
    }
    opened.incrementAndGet();
    return new PairReader() {
      @Override
      public void read(List<Texts> pairs, Sink sink) throws InterruptedException {
        for (int i = 0; i < pairs.size(); i++) {
          read.incrementAndGet();
          sink.accept(i, reading(pairs.get(i)));
        }
      }

      @Override
      public void close() {}
    };
  }

  /** Returns the result for two texts, which depends only on the texts. */
  protected PairReader.Reading reading(PairReader.Texts texts) {
    Random random = new Random(31L * texts.older().hashCode() + texts.newer().hashCode());
    float[] logits = new float[4];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = 3 * (float) random.nextGaussian();
    }
    return new PairReader.Reading(logits, true, true);
  }
}
