package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.SpeedTrial.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpeedTrialTest {
  private static final float[][] RIGHT = {{1, 0}, {0.6f, 0.8f}};

  @TempDir Path folder;
  private long now;
  private final List<String> ran = new ArrayList<>();
  private final SpeedTrial trial = new SpeedTrial("fast", SpeedTrial.SAME, () -> now);

  private final class Way implements Embedder {
    private final String name;
    private final long[] nanos;
    private final float[][] vectors;
    private int runs;

    Way(String name, float[][] vectors, long... nanos) {
      this.name = name;
      this.nanos = nanos;
      this.vectors = vectors;
    }

    @Override
    public void embed(List<String> texts, VectorSink sink) {
      throw new AssertionError("all at once");
    }

    @Override
    public float[][] embedAll(List<String> texts) {
      ran.add(name);
      long takes = nanos[Math.min(runs++, nanos.length - 1)];
      if (takes < 0) {
        throw new EmbeddingException("no\nNeural Engine");
      }
      now += takes;
      return vectors;
    }

    @Override
    public void close() {
      ran.add("close " + name);
    }
  }

  private Verdict against(Way other) throws Exception {
    return trial.run(() -> new Way("plain", RIGHT, 100), () -> other);
  }

  @Test
  void bothDoTheSameWorkInTurnAfterOneRunThatDoesNotCount() throws Exception {
    Verdict verdict = against(new Way("other", RIGHT, 9_999, 40, 5_000));
    assertEquals(new Verdict(2.5, "fast: 2.50 times as fast as the usual method"), verdict);
    assertEquals(
        List.of("plain", "other", "plain", "other", "close other", "close plain"),
        ran,
        "a clear gain shows at once");
  }

  @Test
  void whereTheGainIsUnclearTheMiddleOfThreeCounts() throws Exception {
    assertEquals(1.25, against(new Way("other", RIGHT, 9_999, 80, 40, 100)).gain());
    assertEquals("plain, other, ".repeat(4) + "close other, close plain", String.join(", ", ran));
  }

  @Test
  void slightlyOffIsStillRightAndSlowIsTold() throws Exception {
    float[][] off = {{1, 0}, {0.59f, 0.807f}};
    assertEquals(0.8, against(new Way("other", off, 125)).gain());
  }

  @Test
  void wrongMissingAndShortVectorsAreRefusedHoweverFast() throws Exception {
    for (float[][] wrong :
        new float[][][] {
          {{1, 0}, {0.8f, 0.6f}},
          {{1, 0}, {Float.NaN, 0.8f}},
          {{Float.NaN, 0}, {0, 0}},
          {{1, 0}},
          {{1}, {1}},
          {}
        }) {
      Verdict verdict = against(new Way("other", wrong, 1));
      assertEquals(0, verdict.gain());
      assertTrue(
          verdict.why().startsWith("fast: too inaccurate, vectors have a cosine of "),
          verdict.why());
    }
  }

  @Test
  void whatCannotBeOpenedOrFailsAtAnyMomentIsRefusedAndTold() throws Exception {
    assertEquals(new Verdict(0, "fast: failed, no"), against(new Way("other", RIGHT, 1, 99, -1)));
    Callable<Embedder> none =
        () -> {
          throw new IllegalStateException("no CoreML\nhere");
        };
    assertEquals(
        new Verdict(0, "fast: failed, no CoreML"),
        trial.run(() -> new Way("plain", RIGHT, 100), none));
    assertEquals("close plain", ran.getLast());
  }

  @Test
  void aFailingPlainWayIsNotHidden() {
    assertThrows(
        EmbeddingException.class, () -> trial.run(() -> new Way("plain", RIGHT, -1), () -> null));
  }

  private Verdict remembered(String network) {
    return trial.remembered(
        folder, network, () -> new Way("plain", RIGHT, 100), () -> new Way("other", RIGHT, 40));
  }

  @Test
  void aVerdictIsRememberedForItsNetwork() {
    Verdict first = remembered("model");
    int runs = ran.size();
    assertEquals(first, remembered("model"));
    assertEquals(runs, ran.size());
    remembered("another");
    assertEquals(2 * runs, ran.size());
  }

  @Test
  void damagedMemoryMeansAnotherTrial() throws Exception {
    Verdict first = remembered("model");
    try (Stream<Path> notes = Files.list(folder.resolve("trials"))) {
      Path note = notes.findFirst().orElseThrow();
      String text = Files.readString(note);
      for (String damaged :
          List.of("", "model", text.replace("2.5\n", "x\n"), text + "\n", text.substring(5))) {
        Files.writeString(note, damaged);
        int runs = ran.size();
        assertEquals(first, remembered("model"));
        assertTrue(ran.size() > runs);
      }
    }
  }

  @Test
  void aWindowFillsABatchOfEachLength() throws Exception {
    try (MiniLm model = TestModels.bundled(Precision.FP32, 256).open()) {
      int[] tokens = ProbeTexts.window().stream().mapToInt(model::tokenCount).toArray();
      assertEquals(32 + 16 + 8 + 4 + 2, tokens.length);
      int text = 0;
      for (int length = 16; length <= 256; length *= 2) {
        for (int i = 0; i < 512 / length; i++) {
          assertEquals(length, tokens[text++]);
        }
      }
    }
  }
}
