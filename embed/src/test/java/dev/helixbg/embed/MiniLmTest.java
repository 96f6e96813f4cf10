package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.cache.Cosine;
import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MiniLmTest {
  private static final List<String> TEXTS = texts(200);

  @AutoClose private static MiniLm model;

  /** The vectors of {@link #TEXTS}, which are embedded only once for several tests. */
  private static final float[][] VECTORS = new float[TEXTS.size()][];

  /**
   * Indices in the order in which the sink received them. The list is not synchronized, because
   * only one thread at a time may call the sink.
   */
  private static final List<Integer> SEEN = new ArrayList<>();

  private static final AtomicInteger INSIDE = new AtomicInteger();

  @BeforeAll
  static void open() throws InterruptedException {
    model = TestModels.bundled(Precision.FP32, 256).open();
    model.embed(
        TEXTS,
        (index, vector) -> {
          assertEquals(1, INSIDE.incrementAndGet());
          SEEN.add(index);
          VECTORS[index] = vector;
          INSIDE.decrementAndGet();
        });
  }

  @Test
  void rewrittenGraphIsInUseAndSaysSo() {
    assertTrue(
        model.provenance().graph().startsWith("fused graph, vectors with a cosine of at least "));
    assertTrue(model.provenance().provider().startsWith("CPU"), model.provenance().provider());
  }

  @Test
  void agreesWithLangchain4jBelowItsLimit() throws InterruptedException {
    List<String> texts = new ArrayList<>(ProbeTexts.TEXTS.stream().skip(1).toList());
    Random random = new Random(3);
    for (int i = 0; i < 40; i++) {
      texts.add(words(random, 1 + random.nextInt(24)));
    }
    var theirs =
        new AllMiniLmL6V2EmbeddingModel(Runnable::run)
            .embedAll(texts.stream().map(TextSegment::from).toList())
            .content();
    float[][] ours = model.embedAll(texts);
    for (int i = 0; i < texts.size(); i++) {
      assertTrue(model.tokenCount(texts.get(i)) <= 128);
      double cosine = Cosine.of(ours[i], theirs.get(i).vector());
      assertTrue(cosine >= 0.9999, cosine + " for " + texts.get(i));
    }
  }

  @Test
  void vectorsAreTheSameBitsWhateverTheThreadCount() throws InterruptedException {
    List<String> texts = texts(80);
    float[][] two = model.embedAll(texts);
    for (int threads : new int[] {1, 5}) {
      try (MiniLm other = TestModels.bundled(Precision.FP32, 256, threads).open()) {
        assertArrayEquals(two, other.embedAll(texts));
      }
    }
  }

  @Test
  void everyTextGetsItsOwnVectorOfUnitLength() throws InterruptedException {
    for (int i : new int[] {0, 1, 77, 199}) {
      float[] alone = model.embedAll(List.of(TEXTS.get(i)))[0];
      assertArrayEquals(alone, VECTORS[i], 1e-5f);
      assertEquals(1, Cosine.of(VECTORS[i], VECTORS[i]), 1e-6);
    }
  }

  @Test
  void sinkIsNeverCalledByTwoThreadsAtOnce() {
    List<Integer> sorted = SEEN.stream().sorted().toList();
    assertEquals(200, sorted.size());
    assertEquals(199, sorted.getLast());
    assertEquals(200, new HashSet<>(sorted).size());
  }

  @Test
  void interruptStopsBetweenBatchesAndKeepsWhatIsDone() {
    float[][] found = new float[TEXTS.size()][];
    AtomicInteger count = new AtomicInteger();
    Thread caller = Thread.currentThread();
    assertThrows(
        InterruptedException.class,
        () ->
            model.embed(
                TEXTS,
                (index, vector) -> {
                  found[index] = vector;
                  if (count.incrementAndGet() == 20) {
                    caller.interrupt();
                  }
                }));
    assertFalse(Thread.currentThread().isInterrupted());
    assertTrue(count.get() < 150, count + " vectors after the interrupt");
    for (int i = 0; i < found.length; i++) {
      if (found[i] != null) {
        assertArrayEquals(VECTORS[i], found[i]);
      }
    }
  }

  @Test
  void failureOfTheSinkReachesTheCaller() {
    IllegalStateException failure = new IllegalStateException("disk full");
    assertSame(
        failure,
        assertThrows(
            IllegalStateException.class,
            () ->
                model.embed(
                    texts(60),
                    (index, vector) -> {
                      throw failure;
                    })));
  }

  @Test
  void oddTextsGetVectors() throws InterruptedException {
    List<String> odd =
        List.of(
            "",
            " \n\t ",
            "\0",
            "\uD83D",
            "lone \uDE00 surrogate",
            "🙂👩‍👩‍👧‍👦",
            "\u202Egnirts desrever",
            "a".repeat(1 << 18),
            "!".repeat(1 << 18),
            "日".repeat(1 << 16),
            "word ".repeat(1 << 16));
    float[][] vectors = model.embedAll(odd);
    for (float[] vector : vectors) {
      assertEquals(1, Cosine.of(vector, vector), 1e-6);
    }
    assertEquals(0, model.embedAll(List.of()).length);
  }

  @Test
  void eightBitVectorsDoNotDependOnNeighboursAndStayClose() throws InterruptedException {
    List<String> texts = texts(60);
    float[][] exact = model.embedAll(texts);
    try (MiniLm int8 = TestModels.bundled(Precision.INT8, 256).open()) {
      String graph = int8.provenance().graph();
      boolean ours = Encoder.isAvailable(Square.BYTES);
      String wanted = ours ? "8-bit arithmetic by machine code" : "fused graph in 8-bit arithmetic";
      assertTrue(graph.contains(wanted), graph);
      float[][] vectors = int8.embedAll(texts);
      double[] cosines = new double[vectors.length];
      for (int i = 0; i < vectors.length; i++) {
        cosines[i] = Cosine.of(exact[i], vectors[i]);
        assertTrue(cosines[i] > 0.98, cosines[i] + " for " + texts.get(i));
      }
      Arrays.sort(cosines);
      assertTrue(cosines[cosines.length / 2] > 0.99, "median " + cosines[cosines.length / 2]);
      assertArrayEquals(vectors[7], int8.embedAll(List.of(texts.get(7)))[0]);
    }
  }

  /**
   * If the project's own engine cannot or may not run, ONNX Runtime computes in eight-bit
   * arithmetic.
   */
  @Test
  void eightBitsWithoutMachineCodeHaveAnIdOfTheirOwn() throws Exception {
    String[] printed =
        ForkedJvm.runPlain("-Dhelixbg.machine.code=false", EightBits.class).split("\n");
    assertEquals(3, printed.length, String.join("\n", printed));
    assertEquals(
        !Encoder.isAvailable(Square.BYTES),
        printed[0].equals(TestModels.bundled(Precision.INT8, 256).id()));
    assertTrue(
        printed[1].startsWith(
            "fused graph in 8-bit arithmetic, vectors with a cosine of at least "),
        printed[1]);
    assertEquals(1, Double.parseDouble(printed[2]), 1e-6);
  }

  static final class EightBits {
    public static void main(String[] arguments) throws InterruptedException {
      EmbeddingModel eightBits = TestModels.bundled(Precision.INT8, 256);
      try (MiniLm int8 = eightBits.open()) {
        float[] vector = int8.embedAll(ProbeTexts.TEXTS)[1];
        System.out.println(eightBits.id());
        System.out.println(int8.provenance().graph());
        System.out.println(Cosine.of(vector, vector));
      }
    }
  }

  @Test
  void textBeyondTheLimitIsCut() throws InterruptedException {
    String start = words(new Random(1), 400);
    assertEquals(256, model.tokenCount(start));
    float[][] vectors = model.embedAll(List.of(start, start + " and an end nobody reads"));
    assertArrayEquals(vectors[0], vectors[1], 1e-5f);
  }

  private static List<String> texts(int count) {
    Random random = new Random(11);
    List<String> texts = new ArrayList<>();
    while (texts.size() < count) {
      texts.add(words(random, 1 + random.nextInt(60)));
    }
    return texts;
  }

  private static String words(Random random, int count) {
    String[] some =
        ("the cache worker retries a request when its lease expires; PostgreSQL rows, JSON keys and"
                + " snake_case_names differ in O(n) cost: see src/main/App.java:118")
            .split(" ");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(some[random.nextInt(some.length)]);
    }
    return text.toString();
  }
}
