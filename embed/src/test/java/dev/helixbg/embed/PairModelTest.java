package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.PairReader.Kind;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Texts;
import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import dev.helixbg.embed.onnx.OnnxFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairModelTest {
  private static final PairWeights WEIGHTS = PairWeights.bundled(Kind.NOTES);
  @AutoClose private static PairReader reader;

  @BeforeAll
  static void open() {
    reader = new PairModel(TestModels.CACHE, 2).open();
  }

  /**
   * The known logits of the probes were computed by PyTorch in fp32. Like the opening of a judge,
   * this test compares logits with them.
   */
  @Test
  void computesWhatWasComputedWhereItWasTrained() throws InterruptedException {
    List<Texts> pairs = new ArrayList<>();
    List<float[]> logits = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (PairWeights.Probe probe : PairWeights.bundled(kind).probes()) {
        // Pairs of both kinds are mixed.
        int place = pairs.size() / 2;
        pairs.add(place, new Texts(kind, probe.older(), probe.newer()));
        logits.add(place, probe.logits());
      }
    }
    Reading[] readings = readAll(reader, pairs);
    assertTrue(readings.length >= 6);
    for (int i = 0; i < readings.length; i++) {
      assertArrayEquals(logits.get(i), readings[i].logits(), 1);
    }
  }

  @Test
  void theIdNamesThePrecision() {
    String way = Encoder.isAvailable(Square.BYTES) ? "INT8 by machine code" : "INT8";
    String text =
        String.join(
            "\n",
            "pair judge 2",
            way,
            WEIGHTS.beginning().hash(),
            PairWeights.bundled(Kind.FACTS).beginning().hash());
    assertEquals(
        Sha256.of(text).substring(0, 32),
        new PairModel(TestModels.CACHE, 2).judge().id(),
        "unnamed");
  }

  @Test
  void aReadingDependsOnItsOwnTextsAlone() throws InterruptedException {
    List<Texts> pairs = pairs(40);
    Reading[] all = readAll(reader, pairs);
    try (PairReader alone = new PairModel(TestModels.CACHE, 1).open()) {
      for (int i : new int[] {0, 7, 39}) {
        assertArrayEquals(
            all[i].logits(), readAll(alone, List.of(pairs.get(i)))[0].logits(), "to the last bit");
      }
    }
  }

  @Test
  void whatIsLongerThanTheRoomIsNotReadToItsEnd() throws InterruptedException {
    String longer = "word ".repeat(PairReader.ROOM + 1);
    String fits = "word ".repeat(PairReader.ROOM);
    Reading[] readings =
        readAll(
            reader,
            List.of(
                new Texts(Kind.NOTES, fits, longer),
                new Texts(Kind.NOTES, longer, fits),
                new Texts(Kind.NOTES, fits, longer + "!")));
    assertTrue(readings[0].olderWhole());
    assertFalse(readings[0].newerWhole());
    assertFalse(readings[1].olderWhole());
    assertTrue(readings[1].newerWhole());
    assertArrayEquals(readings[0].logits(), readings[2].logits());
  }

  @Test
  void oddTextsAreRead() throws InterruptedException {
    List<String> odd =
        List.of("", "\0", "\uD83D", "[SEP]", "a".repeat(1 << 18), "日".repeat(1 << 14));
    List<Texts> pairs = new ArrayList<>();
    odd.forEach(one -> pairs.add(new Texts(Kind.NOTES, one, "")));
    odd.forEach(one -> pairs.add(new Texts(Kind.NOTES, "retry", one)));
    for (Reading reading : readAll(reader, pairs)) {
      for (float logit : reading.logits()) {
        assertTrue(Float.isFinite(logit));
      }
    }
  }

  /** Checks the changed weights without rounding to eight bits. */
  @Test
  void inFp32TheLogitsAreThoseOfTheTraining(@TempDir Path folder) throws Exception {
    Path graph = folder.resolve("judge.onnx");
    try (OnnxFile export = OnnxFile.open(TestModels.files().graph())) {
      export.change(WEIGHTS.layers(), WEIGHTS.changes(), WEIGHTS.tokenTypes());
      CpuNetwork.FUSED.write(export, true, graph);
    }
    Path definition = folder.resolve("tokenizer.json");
    Files.write(definition, TokenizerFile.prepare(TestModels.files().tokenizer()));
    PreparedModel judge = new PreparedModel(graph, CpuNetwork.FUSED, "", definition);
    try (TokenModel model = judge.open(Pooling.FIRST);
        Tokenizer tokenizer = CrossEncoder.openTokenizer(judge)) {
      for (PairWeights.Probe probe : WEIGHTS.probes()) {
        int[] ids = CrossEncoder.ids(tokenizer, probe.older(), probe.newer());
        assertArrayEquals(
            probe.logits(),
            WEIGHTS.beginning().head().logits(model.embed(new int[][] {ids})[0]),
            0.02f);
      }
    }
  }

  @Test
  void damagedWeightsAreRefused() throws IOException {
    byte[] file;
    try (InputStream in = PairWeights.class.getResourceAsStream("judge.weights")) {
      file = in.readAllBytes();
    }
    assertEquals(ModelSource.GRAPH_HASH, PairWeights.parse(file).graphHash());
    Random random = new Random(4);
    for (int i = 0; i < 80; i++) {
      int place = i < 60 ? i : random.nextInt(file.length);
      byte[] cut = Arrays.copyOf(file, place);
      assertThrows(IOException.class, () -> PairWeights.parse(cut));
      byte whole = file[place];
      file[place] ^= (byte) (1 << random.nextInt(8));
      assertThrows(IOException.class, () -> PairWeights.parse(file));
      file[place] = whole;
    }
  }

  @Test
  void preparesOnceAndAgainWhereAFileIsGone(@TempDir Path cache) throws Exception {
    try (PairReader first = new PairModel(cache, 1).open()) {
      assertEquals(1, readAll(first, pairs(1)).length);
    }
    String weights = Encoder.isAvailable(Square.BYTES) ? "encoder.weights" : "graph.onnx.weights";
    Path graph;
    try (Stream<Path> files = Files.walk(cache)) {
      graph =
          files
              .filter(file -> file.endsWith(weights))
              .filter(file -> file.getParent().getFileName().toString().startsWith("judge-"))
              .findFirst()
              .orElseThrow();
    }
    var before = Files.getLastModifiedTime(graph);
    new PairModel(cache, 1).open(Kind.NOTES).close();
    assertEquals(before, Files.getLastModifiedTime(graph));
    Files.write(graph, new byte[100]);
    new PairModel(cache, 1).open(Kind.NOTES).close();
    assertTrue(Files.size(graph) > 1_000_000);
  }

  private static Reading[] readAll(PairReader reader, List<Texts> pairs)
      throws InterruptedException {
    Reading[] readings = new Reading[pairs.size()];
    reader.read(pairs, (i, reading) -> readings[i] = reading);
    return readings;
  }

  private static List<Texts> pairs(int count) {
    Random random = new Random(9);
    List<Texts> pairs = new ArrayList<>();
    while (pairs.size() < count) {
      pairs.add(new Texts(Kind.NOTES, words(random), words(random)));
    }
    return pairs;
  }

  private static String words(Random random) {
    String[] some = "the worker retries a lease of 30 s when Redis is down see ADR-12".split(" ");
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(120); i >= 0; i--) {
      text.append(some[random.nextInt(some.length)]).append(' ');
    }
    return text.toString();
  }
}
