package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.BIASES;
import static dev.helixbg.embed.encoder.Square.LINE;
import static dev.helixbg.embed.encoder.Square.PANEL;
import static dev.helixbg.embed.encoder.Square.PANEL_BYTES;
import static dev.helixbg.embed.encoder.Square.SIDE;
import static dev.helixbg.embed.encoder.Square.STARTS;
import static dev.helixbg.embed.encoder.Square.STEPS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packed matrices multiply as they were; on any processor. */
class SquareTest {
  private static final int BLOCKS = 4;
  private static final int AT = 5;
  private static final int STRIDE = SIDE + 7;

  private final SplittableRandom random = new SplittableRandom(2);

  @Test
  void placesAreThoseOfAllInputs() {
    int[] sorted = IntStream.range(0, SIDE).map(Square::input).sorted().toArray();
    assertArrayEquals(IntStream.range(0, SIDE).toArray(), sorted);
  }

  /**
   * Weights and activations that rounding leaves alone, of four blocks whose sums are added up as
   * the feed-forward does, or of one.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void productsAreThoseOfTheMatrix(boolean behindGelu) {
    int count = behindGelu ? BLOCKS : 1;
    float factor = 0.25f;
    float[] biases = new float[SIDE + AT];
    for (int i = 0; i < biases.length; i++) {
      biases[i] = (float) random.nextGaussian();
    }
    double[] expected = new double[SIDE];
    double[] actual = new double[SIDE];
    ByteBuffer squares = squares(count);
    byte[][] x = new byte[count][SIDE];
    float step = 1 / 128f;
    for (int block = 0; block < count; block++) {
      float[] weights = weights();
      random.nextBytes(x[block]);
      Square.pack(weights, AT, STRIDE, factor, block == 0 ? biases : null, AT, behindGelu, squares);
      for (int output = 0; output < SIDE; output++) {
        expected[output] += block == 0 ? biases[AT + output] * factor : 0;
        for (int place = 0; place < SIDE; place++) {
          int unsigned = Byte.toUnsignedInt(x[block][place]);
          double value = behindGelu ? unsigned * step - 0.17 : (unsigned - 128) * step;
          expected[output] += value * weights[AT + Square.input(place) * STRIDE + output] * factor;
        }
      }
    }
    assertEquals(0, squares.remaining());
    Square.gatherBiases(squares.array(), count);
    for (int block = 0; block < count; block++) {
      for (int output = 0; output < SIDE; output++) {
        int panel = block * Square.BYTES + output / PANEL * PANEL_BYTES;
        int lane = 4 * (output % PANEL);
        int sum = squares.getInt(panel + STARTS + lane);
        for (int place = 0; place < SIDE; place++) {
          int weight = squares.get(panel + place / 4 * LINE + lane + place % 4);
          sum += Byte.toUnsignedInt(x[block][place]) * weight;
        }
        float bias = block == 0 ? squares.getFloat(panel + BIASES + lane) : 0;
        actual[output] += (double) sum * step * squares.getFloat(panel + STEPS + lane) + bias;
      }
    }
    assertArrayEquals(expected, actual, 1e-4);
  }

  /** Multiples of a 64th, of each output the largest 63 of them; a whole output of zeros. */
  private float[] weights() {
    float[] weights = new float[AT + SIDE * STRIDE];
    for (int output = 1; output < SIDE; output++) {
      int largest = random.nextInt(SIDE);
      for (int input = 0; input < SIDE; input++) {
        int quantum = input == largest ? -63 : random.nextInt(-63, 64);
        weights[AT + input * STRIDE + output] = quantum / 64f;
      }
    }
    return weights;
  }

  @Test
  void weightsAreRoundedToTheNearestStep() {
    float[] weights = new float[SIDE * SIDE];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextGaussian();
    }
    ByteBuffer square = squares(1);
    Square.pack(weights, 0, SIDE, 1, null, 0, false, square);
    for (int output = 0; output < SIDE; output++) {
      int panel = output / PANEL * PANEL_BYTES;
      int lane = 4 * (output % PANEL);
      float step = square.getFloat(panel + STEPS + lane);
      int most = 0;
      for (int place = 0; place < SIDE; place++) {
        int weight = square.get(panel + place / 4 * LINE + lane + place % 4);
        most = Math.max(most, Math.abs(weight));
        float wanted = weights[Square.input(place) * SIDE + output];
        assertTrue(Math.abs(wanted - weight * step) <= 0.5001f * step);
      }
      assertEquals(63, most);
    }
  }

  private static ByteBuffer squares(int count) {
    return ByteBuffer.allocate(count * Square.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }
}
