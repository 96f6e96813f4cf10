package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.embed.onnx.EncoderFile;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.TinyExport;
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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the whole network with a small model that has random weights. Real models are compared with
 * fp32 in {@code EmbeddingModelTest} and {@code PairModelTest}.
 */
class EncoderTest {
  private static final int WORDS = 50;
  private static final List<int[]> TEXTS =
      texts(1, 2, 3, 5, 6, 7, 8, 9, 13, 31, 32, 33, 77, 97, 130, 512);

  @TempDir static Path folder;
  private static Encoder encoder;
  private static Encoder judge;

  private static List<float[]> alone;

  @BeforeAll
  static void open() throws IOException {
    assumeTrue(Encoder.isAvailable(Square.BYTES), "no processor that multiplies bytes");
    Path export = folder.resolve("tiny.onnx");
    TinyExport.write(export, WORDS, Encoder.LONGEST, 2);
    try (OnnxFile source = OnnxFile.open(export)) {
      EncoderFile.write(source, Square.BYTES, false, folder.resolve("texts"));
      EncoderFile.write(source, Square.BYTES, true, folder.resolve("judge"));
    }
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

  private static List<int[]> texts(int... lengths) {
    SplittableRandom random = new SplittableRandom(lengths.length);
    return Arrays.stream(lengths)
        .mapToObj(length -> random.ints(length, 0, WORDS).toArray())
        .toList();
  }

  /**
   * Returns, for each text, the states of all its tokens; for a judge, only the state of the first
   * token.
   */
  private static List<float[]> states(Encoder encoder, List<int[]> texts) {
    float[] states = encoder.states(texts.toArray(int[][]::new), types(texts));
    List<float[]> each = new ArrayList<>();
    int at = 0;
    for (int[] text : texts) {
      int size = SIDE * (encoder == judge ? 1 : text.length);
      each.add(Arrays.copyOfRange(states, at, at + size));
      at += size;
    }
    assertEquals(states.length, at);
    return each;
  }

  /** Returns the types of all tokens: a model for single texts has only the type 0. */
  private static int[][] types(List<int[]> texts) {
    return texts.stream().map(text -> new int[text.length]).toArray(int[][]::new);
  }

  @Test
  void neighboursOrderAndWhatWasBeforeDoNotMatter() {
    List<int[]> large = texts(IntStream.generate(() -> 99).limit(20).toArray());
    states(encoder, large);
    states(judge, large);
    List<int[]> shuffled = new ArrayList<>(TEXTS);
    Collections.shuffle(shuffled, new Random(1));
    for (List<int[]> batch : List.of(TEXTS, TEXTS.reversed(), shuffled)) {
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
    for (int[] wrong : new int[][] {{}, new int[Encoder.LONGEST + 1], {3, -1}, {WORDS}}) {
      for (List<int[]> batch : List.of(List.of(wrong), List.of(TEXTS.get(3), wrong))) {
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
          changed.states(new int[][] {TEXTS.get(9)}, types(TEXTS.subList(9, 10)));
        } catch (IOException e) {
          refused++;
        }
        channel.write(ByteBuffer.wrap(content, at, 1), at);
      }
    }
    assertTrue(refused >= 24, refused + " refused: magic, layers and rows");
  }
}
