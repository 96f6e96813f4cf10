package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.PANEL;
import static dev.helixbg.embed.encoder.Square.SIDE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests on any processor that products with a packed matrix equal products with the original
 * matrix.
 */
class SquareTest {
  private static final int BLOCKS = 4;
  private static final int AT = 5;
  private static final int STRIDE = SIDE + 7;

  private final SplittableRandom random = new SplittableRandom(2);

  @ParameterizedTest
  @EnumSource
  void placesAreThoseOfAllInputs(Square kind) {
    int[] sorted = IntStream.range(0, SIDE).map(kind::input).sorted().toArray();
    assertArrayEquals(IntStream.range(0, SIDE).toArray(), sorted);
  }

  /**
   * The weights and activations are chosen so that rounding does not change them. After GELU, there
   * are four blocks, whose sums are added up; otherwise, there is one block.
   */
  @ParameterizedTest
  @CsvSource({
    "BYTES,false", "BYTES,true",
    "SHORTS,false", "SHORTS,true",
    "FINE_BYTES,false", "FINE_BYTES,true"
  })
  void productsAreThoseOfTheMatrix(Square kind, boolean behindGelu) {
    int count = behindGelu ? BLOCKS : 1;
    float factor = 0.25f;
    float[] biases = new float[SIDE + AT];
    for (int i = 0; i < biases.length; i++) {
      biases[i] = (float) random.nextGaussian();
    }
    double[] expected = new double[SIDE];
    double[] actual = new double[SIDE];
    ByteBuffer squares = squares(kind, count);
    ByteBuffer x = ByteBuffer.allocate(count * kind.row).order(ByteOrder.LITTLE_ENDIAN);
    float step = 1f / kind.mostSigned;
    for (int block = 0; block < count; block++) {
      float[] weights = weights(kind == Square.FINE_BYTES ? 127 : 63);
      for (int place = 0; place < SIDE; place++) {
        if (kind.inAnInt == 4) {
          x.put((byte) random.nextInt());
        } else {
          x.putShort((short) random.nextInt(-kind.mostSigned, kind.mostSigned + 1));
        }
      }
      float[] shifts = behindGelu ? shifts() : null;
      kind.pack(weights, AT, STRIDE, factor, block == 0 ? biases : null, AT, shifts, squares);
      for (int output = 0; output < SIDE; output++) {
        expected[output] += block == 0 ? biases[AT + output] * factor : 0;
        for (int place = 0; place < SIDE; place++) {
          int number = Scalars.activation(kind, x, block * kind.row, place);
          double value =
              behindGelu ? number * step - shifts[kind.input(place)] : (number - kind.zero) * step;
          expected[output] += value * weights[AT + kind.input(place) * STRIDE + output] * factor;
        }
      }
    }
    assertEquals(0, squares.remaining());
    kind.gatherBiases(squares.array(), count);
    for (int block = 0; block < count; block++) {
      for (int output = 0; output < SIDE; output++) {
        int panel = block * kind.size + output / PANEL * kind.panel;
        int lane = 4 * (output % PANEL);
        int sum = squares.getInt(panel + kind.starts + lane);
        for (int place = 0; place < SIDE; place++) {
          int weight = Scalars.weight(kind, squares, block * kind.size, output, place);
          sum += Scalars.activation(kind, x, block * kind.row, place) * weight;
        }
        float bias = block == 0 ? squares.getFloat(panel + kind.biases + lane) : 0;
        actual[output] += (double) sum * step * squares.getFloat(panel + kind.steps + lane) + bias;
      }
    }
    assertArrayEquals(expected, actual, kind == Square.SHORTS ? 4e-3 : 1e-4);
  }

  private float[] shifts() {
    float[] shifts = new float[SIDE];
    for (int i = 0; i < SIDE; i++) {
      shifts[i] = 0.17f * random.nextFloat(0.5f, 2);
    }
    return shifts;
  }

  /**
   * Returns weights that are multiples of 1/64. All weights of the first output are 0.
   *
   * @param most largest magnitude of each other output's weights, in units of 1/64
   */
  private float[] weights(int most) {
    float[] weights = new float[AT + SIDE * STRIDE];
    for (int output = 1; output < SIDE; output++) {
      int largest = random.nextInt(SIDE);
      for (int input = 0; input < SIDE; input++) {
        int quantum = input == largest ? -most : random.nextInt(-most, most + 1);
        weights[AT + input * STRIDE + output] = quantum / 64f;
      }
    }
    return weights;
  }

  @ParameterizedTest
  @EnumSource
  void weightsAreRoundedToTheNearestStep(Square kind) {
    float[] weights = new float[SIDE * SIDE];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextGaussian() * (i % SIDE == 7 && i > SIDE ? 1e-6f : 1);
    }
    ByteBuffer square = squares(kind, 1);
    kind.pack(weights, 0, SIDE, 1, null, 0, null, square);
    for (int output = 0; output < SIDE; output++) {
      int panel = output / PANEL * kind.panel;
      int lane = 4 * (output % PANEL);
      float step = square.getFloat(panel + kind.steps + lane);
      int most = 0;
      long sum = 0;
      for (int place = 0; place < SIDE; place++) {
        int weight = Scalars.weight(kind, square, 0, output, place);
        most = Math.max(most, Math.abs(weight));
        sum += Math.abs(weight);
        float wanted = weights[kind.input(place) * SIDE + output];
        assertTrue(Math.abs(wanted - weight * step) <= 0.503f * step);
      }
      if (kind != Square.SHORTS) {
        assertEquals(kind == Square.BYTES ? 63 : 127, most);
      } else {
        long largest = sum * kind.mostUnsigned;
        assertTrue(largest <= Integer.MAX_VALUE, largest + " is no int");
        assertTrue(most == Short.MAX_VALUE || largest > Integer.MAX_VALUE / 1.01, "too coarse");
      }
    }
  }

  private static ByteBuffer squares(Square kind, int count) {
    return ByteBuffer.allocate(count * kind.size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
