package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.ProviderChoice.Probe;
import dev.helixbg.embed.ProviderChoice.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProviderChoiceTest {

  private static final float[][] RIGHT = {{1, 0}, {0.6f, 0.8f}};

  @TempDir Path folder;
  private long now;
  private int coreMlRuns;
  private final ProviderChoice choice = new ProviderChoice(() -> now);
  private final Probe cpu = takes(100, RIGHT);

  @Test
  void rightAndFasterIsKept() throws Exception {
    Verdict verdict = choice.decide(cpu, takes(40, RIGHT));
    assertTrue(verdict.coreMl());
    assertEquals("CoreML was 2.5 times as fast on the probe texts", verdict.why());
  }

  @Test
  void slightlyOffIsStillRight() throws Exception {
    assertTrue(choice.decide(cpu, takes(40, new float[][] {{1, 0}, {0.59f, 0.807f}})).coreMl());
  }

  @Test
  void wrongVectorsAreRefusedHoweverFast() throws Exception {
    Verdict verdict = choice.decide(cpu, takes(1, new float[][] {{1, 0}, {0.8f, 0.6f}}));
    assertFalse(verdict.coreMl());
    assertTrue(verdict.why().contains("cosine 0.96"), verdict.why());
  }

  @Test
  void slowIsRefused() throws Exception {
    Verdict verdict = choice.decide(cpu, takes(101, RIGHT));
    assertFalse(verdict.coreMl());
    assertTrue(verdict.why().contains("0.99 times as fast"), verdict.why());
  }

  @Test
  void notANumberIsRefused() throws Exception {
    float[][] vectors = {{1, 0}, {Float.NaN, 0.8f}};
    assertFalse(choice.decide(cpu, takes(1, vectors)).coreMl());
    assertFalse(choice.decide(cpu, takes(1, new float[][] {{Float.NaN, 0}, {0, 0}})).coreMl());
  }

  @Test
  void missingOrShortVectorsAreRefused() throws Exception {
    assertFalse(choice.decide(cpu, takes(1, new float[][] {{1, 0}})).coreMl());
    assertFalse(choice.decide(cpu, takes(1, new float[][] {{1}, {1}})).coreMl());
    assertFalse(choice.decide(cpu, takes(1, new float[0][])).coreMl());
  }

  @Test
  void exceptionIsRefusedAndTold() throws Exception {
    Verdict verdict =
        choice.decide(
            cpu,
            () -> {
              throw new IllegalStateException("no\nNeural Engine");
            });
    assertFalse(verdict.coreMl());
    assertEquals("CoreML failed on the probe texts: no Neural Engine", verdict.why());
  }

  @Test
  void exceptionOnceTheClockRunsIsRefusedToo() throws Exception {
    Verdict verdict =
        choice.decide(
            cpu,
            () -> {
              if (++coreMlRuns > 2) {
                throw new IOException("gone");
              }
              return RIGHT;
            });
    assertFalse(verdict.coreMl());
  }

  @Test
  void failingCpuIsNotHidden() {
    Probe broken =
        () -> {
          throw new IOException("no CPU");
        };
    assertThrows(IOException.class, () -> choice.decide(broken, takes(1, RIGHT)));
  }

  @Test
  void verdictIsRememberedUntilTheCircumstancesChange() throws Exception {
    Probe coreMl = takes(40, RIGHT);
    Verdict first = choice.remembered(folder, List.of("model", "1.28"), cpu, coreMl);
    int runs = coreMlRuns;
    assertEquals(first, choice.remembered(folder, List.of("model", "1.28"), cpu, coreMl));
    assertEquals(runs, coreMlRuns);
    choice.remembered(folder, List.of("model", "1.29"), cpu, coreMl);
    assertTrue(coreMlRuns > runs);
  }

  @Test
  void damagedMemoryMeansProbingAgain() throws Exception {
    Verdict first = choice.remembered(folder, List.of("model"), cpu, takes(40, RIGHT));
    try (Stream<Path> notes = Files.list(folder)) {
      Path note = notes.findFirst().orElseThrow();
      for (String damaged : List.of("", "model", "model\n", "model\ngpu\nx", "other\ncpu\nx")) {
        Files.writeString(note, damaged);
        assertEquals(first, choice.remembered(folder, List.of("model"), cpu, takes(40, RIGHT)));
      }
    }
  }

  private Probe takes(long nanos, float[][] vectors) {
    return () -> {
      now += nanos;
      coreMlRuns += vectors == RIGHT && nanos == 100 ? 0 : 1;
      return vectors;
    };
  }
}
