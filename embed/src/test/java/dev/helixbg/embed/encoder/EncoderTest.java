package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the whole network with a small model that has random weights. */
class EncoderTest {
  private static final RandomModel MODEL = new RandomModel();
  private static final List<Text> TEXTS =
      texts(1, 2, 3, 5, 6, 7, 8, 9, 13, 31, 32, 33, 77, 97, 130, 512);

  @TempDir static Path folder;
  private static Encoder encoder;
  private static Encoder judge;

  private static List<float[]> alone;

  private record Text(int[] ids, int[] types) {}

  @BeforeAll
  static void open() throws IOException {
    assumeTrue(Encoder.isAvailable(Square.BYTES), "no processor that multiplies bytes");
    MODEL.write(folder.resolve("texts"), Square.BYTES, false);
    MODEL.write(folder.resolve("judge"), Square.BYTES, true);
    encoder = new Encoder(folder.resolve("texts"));
    judge = new Encoder(folder.resolve("judge"));
    alone = TEXTS.stream().map(text -> states(encoder, List.of(text)).getFirst()).toList();
  }

  @AfterAll
  static void close() {
    if (encoder != null) {
      encoder.close();
      judge.close();
    }
  }

  private static List<Text> texts(int... lengths) {
    SplittableRandom random = new SplittableRandom(lengths.length);
    return Arrays.stream(lengths)
        .mapToObj(
            length ->
                new Text(
                    random.ints(length, 0, RandomModel.WORDS).toArray(),
                    random.ints(length, 0, RandomModel.TYPES).toArray()))
        .toList();
  }

  /**
   * Returns, for each text, the states of all its tokens; for a judge, only the state of the first
   * token.
   */
  private static List<float[]> states(Encoder encoder, List<Text> texts) {
    float[] states =
        encoder.states(
            texts.stream().map(Text::ids).toArray(int[][]::new),
            texts.stream().map(Text::types).toArray(int[][]::new));
    List<float[]> each = new ArrayList<>();
    int at = 0;
    for (Text text : texts) {
      int size = SIDE * (encoder == judge ? 1 : text.ids.length);
      each.add(Arrays.copyOfRange(states, at, at + size));
      at += size;
    }
    assertEquals(states.length, at);
    return each;
  }

  @ParameterizedTest
  @CsvSource({"BYTES,0.99", "SHORTS,0.99999", "FINE_BYTES,0.995"})
  void statesAreNearThoseOfUnroundedWeights(Square kind, double least) throws IOException {
    assumeTrue(Encoder.isAvailable(kind), "no processor that multiplies them");
    Path file = folder.resolve(kind.name());
    MODEL.write(file, kind, false);
    try (Encoder rounded = new Encoder(file)) {
      List<float[]> states = states(rounded, TEXTS);
      for (int i = 0; i < 10; i += 3) {
        double[][] expected = MODEL.states(TEXTS.get(i).ids, TEXTS.get(i).types);
        for (int token = 0; token < expected.length; token++) {
          double cosine = cosine(expected[token], states.get(i), token * SIDE);
          assertTrue(cosine > least, cosine + " for token " + token + " of text " + i);
        }
      }
    }
  }

  private static double cosine(double[] some, float[] others, int from) {
    double product = 0;
    double ofSome = 0;
    double ofOthers = 0;
    for (int i = 0; i < SIDE; i++) {
      product += some[i] * others[from + i];
      ofSome += some[i] * some[i];
      ofOthers += (double) others[from + i] * others[from + i];
    }
    return product / Math.sqrt(ofSome * ofOthers);
  }

  @Test
  void neighboursOrderAndWhatWasBeforeDoNotMatter() {
    List<Text> large = texts(IntStream.generate(() -> 99).limit(20).toArray());
    states(encoder, large);
    states(judge, large);
    List<Text> shuffled = new ArrayList<>(TEXTS);
    Collections.shuffle(shuffled, new Random(1));
    for (List<Text> batch : List.of(TEXTS, TEXTS.reversed(), shuffled)) {
      for (Encoder each : List.of(encoder, judge)) {
        List<float[]> states = states(each, batch);
        for (int i = 0; i < batch.size(); i++) {
          float[] expected = alone.get(TEXTS.indexOf(batch.get(i)));
          int first = Math.min(expected.length, states.get(i).length);
          assertArrayEquals(Arrays.copyOf(expected, first), states.get(i));
        }
      }
    }
  }

  @Test
  void severalThreadsAtOnceGetTheSame() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Callable<Void> task =
          () -> {
            for (int i = 0; i < TEXTS.size() - 1; i++) {
              assertArrayEquals(alone.get(i), states(encoder, List.of(TEXTS.get(i))).getFirst());
            }
            return null;
          };
      for (Future<Void> each : threads.invokeAll(Collections.nCopies(8, task))) {
        each.get();
      }
    }
  }

  @Test
  void textsThatAreNoneAreRefusedAndOthersReadOn() {
    for (int[] ids : new int[][] {{}, new int[Encoder.LONGEST + 1], {3, -1}, {RandomModel.WORDS}}) {
      Text wrong = new Text(ids, new int[ids.length]);
      for (List<Text> batch : List.of(List.of(wrong), List.of(TEXTS.get(3), wrong))) {
        assertThrows(IndexOutOfBoundsException.class, () -> states(encoder, batch));
      }
      assertArrayEquals(alone.get(3), states(encoder, List.of(TEXTS.get(3))).getFirst());
    }
  }

  @Test
  void aBatchOfNoTextsHasNoStates() {
    assertEquals(0, encoder.states(new int[0][], new int[0][]).length);
    assertEquals(0, judge.states(new int[0][], new int[0][]).length);
  }

  @Test
  void filesOfAnotherLengthAreRefused() throws IOException {
    Path file = folder.resolve("cut");
    Files.copy(folder.resolve("texts"), file);
    Files.write(file, new byte[1], StandardOpenOption.APPEND);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertThrows(IOException.class, () -> new Encoder(file), "longer");
      long least = EncoderWeights.HEADER + 5;
      long whole = channel.size() - 1;
      for (long length = whole - 1; length >= 0; length -= Math.max(1, (length - least) / 5)) {
        channel.truncate(length);
        assertThrows(IOException.class, () -> new Encoder(file), length + " bytes");
      }
    }
    assertThrows(IOException.class, () -> new Encoder(folder.resolve("none")));
    assertThrows(IOException.class, () -> new Encoder(folder));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 0x80})
  void changedHeadersAreRefusedOrHarmless(int change) throws IOException {
    byte[] content = Files.readAllBytes(folder.resolve("texts"));
    Path file = Files.write(folder.resolve("changed"), content);
    int refused = 0;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int at = 0; at < EncoderWeights.HEADER; at++) {
        channel.write(ByteBuffer.wrap(new byte[] {(byte) (content[at] ^ change)}), at);
        try (Encoder changed = new Encoder(file)) {
          changed.states(new int[][] {TEXTS.get(9).ids}, new int[][] {TEXTS.get(9).types});
        } catch (IOException e) {
          refused++;
        }
        channel.write(ByteBuffer.wrap(content, at, 1), at);
      }
    }
    assertTrue(refused >= 24, refused + " refused: magic, layers and rows");
  }
}
