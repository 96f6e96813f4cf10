package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.EncoderWeights.BLOCKS;
import static dev.helixbg.embed.encoder.Square.SIDE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A small BERT with random weights. The class writes its file for {@link Encoder}, and computes its
 * states in doubles.
 */
final class RandomModel {
  static final int WORDS = 50;
  static final int TYPES = 2;
  private static final int LAYERS = 2;
  private static final int WIDE = BLOCKS * SIDE;
  private static final float[] SHIFTS = new float[SIDE];

  static {
    Arrays.fill(SHIFTS, Square.GELU_SHIFT);
  }

  private final SplittableRandom random = new SplittableRandom(12);
  private final float[] words = numbers(WORDS * SIDE, 1);
  private final float[] positions = numbers(Encoder.LONGEST * SIDE, 0.5f);
  private final float[] types = numbers(TYPES * SIDE, 0.5f);
  private final float[] embeddingNorm = norm();
  private final Layer[] layers = new Layer[LAYERS];

  RandomModel() {
    Arrays.setAll(layers, i -> new Layer());
  }

  private float[] numbers(int count, float scale) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = scale * (float) random.nextGaussian();
    }
    return numbers;
  }

  private float[] norm() {
    float[] norm = numbers(2 * SIDE, 0.1f);
    for (int i = 0; i < SIDE; i++) {
      norm[i] += 1;
    }
    return norm;
  }

  private final class Linear {
    final int outputs;
    final float[] weights;
    final float[] biases;

    Linear(int inputs, int outputs) {
      this.outputs = outputs;
      weights = numbers(inputs * outputs, (float) (1 / Math.sqrt(inputs)));
      biases = numbers(outputs, 0.1f);
    }

    double[] of(double[] row) {
      double[] product = new double[outputs];
      Arrays.setAll(product, i -> biases[i]);
      for (int k = 0; k < row.length; k++) {
        for (int i = 0; i < outputs; i++) {
          product[i] += row[k] * weights[k * outputs + i];
        }
      }
      return product;
    }

    void pack(Square kind, float factor, ByteBuffer to) {
      kind.pack(weights, 0, SIDE, factor, biases, 0, null, to);
    }
  }

  private final class Layer {
    final Linear query = new Linear(SIDE, SIDE);
    final Linear key = new Linear(SIDE, SIDE);
    final Linear value = new Linear(SIDE, SIDE);
    final Linear output = new Linear(SIDE, SIDE);
    final Linear up = new Linear(SIDE, WIDE);
    final Linear down = new Linear(WIDE, SIDE);
    final float[] attentionNorm = norm();
    final float[] feedForwardNorm = norm();

    void write(Square kind, ByteBuffer to) {
      query.pack(kind, (float) (1 / Math.log(2) / Math.sqrt(AttentionCode.HEAD)), to);
      key.pack(kind, 1, to);
      value.pack(kind, 1, to);
      output.pack(kind, 1, to);
      for (int block = 0; block < BLOCKS; block++) {
        kind.pack(up.weights, block * SIDE, WIDE, 1, up.biases, block * SIDE, null, to);
      }
      ByteBuffer blocks = buffer(BLOCKS * kind.size);
      for (int block = 0; block < BLOCKS; block++) {
        float[] biases = block == 0 ? down.biases : null;
        kind.pack(down.weights, block * SIDE * SIDE, SIDE, 1, biases, 0, SHIFTS, blocks);
      }
      kind.gatherBiases(blocks.array(), BLOCKS);
      to.put(blocks.array());
      floats(attentionNorm, to);
      floats(ones(SIDE), to);
      floats(feedForwardNorm, to);
      floats(ones(SIDE + WIDE), to);
    }

    double[][] next(double[][] states) {
      double[][] queries = rows(states, query::of);
      double[][] keys = rows(states, key::of);
      double[][] values = rows(states, value::of);
      double[][] next = new double[states.length][];
      for (int token = 0; token < states.length; token++) {
        double[] context = new double[SIDE];
        double factor = 1 / Math.sqrt(AttentionCode.HEAD);
        for (int head = 0; head < SIDE; head += AttentionCode.HEAD) {
          Scalars.attend(queries[token], keys, values, head, factor, context);
        }
        double[] attended =
            Scalars.normalise(sum(states[token], output.of(context)), attentionNorm);
        double[] wide = Arrays.stream(up.of(attended)).map(Scalars::gelu).toArray();
        next[token] = Scalars.normalise(sum(attended, down.of(wide)), feedForwardNorm);
      }
      return next;
    }
  }

  private interface OfRow {
    double[] of(double[] row);
  }

  private static double[][] rows(double[][] rows, OfRow function) {
    return Arrays.stream(rows).map(function::of).toArray(double[][]::new);
  }

  private static double[] sum(double[] some, double[] others) {
    double[] sum = new double[SIDE];
    Arrays.setAll(sum, i -> some[i] + others[i]);
    return sum;
  }

  double[][] states(int[] ids, int[] typeOf) {
    double[][] states = new double[ids.length][];
    for (int token = 0; token < ids.length; token++) {
      double[] embedding = new double[SIDE];
      for (int i = 0; i < SIDE; i++) {
        embedding[i] =
            words[ids[token] * SIDE + i]
                + positions[token * SIDE + i]
                + types[typeOf[token] * SIDE + i];
      }
      states[token] = Scalars.normalise(embedding, embeddingNorm);
    }
    for (Layer layer : layers) {
      states = layer.next(states);
    }
    return states;
  }

  void write(Path file, Square kind, boolean judge) throws IOException {
    ByteBuffer to = buffer(20_000_000);
    to.putLong(EncoderWeights.MAGIC).putInt(LAYERS).putInt(WORDS).putInt(Encoder.LONGEST);
    to.putInt(TYPES).putInt(judge ? 1 : 0).putInt(kind.ordinal()).position(EncoderWeights.HEADER);
    floats(embeddingNorm, to);
    floats(ones(SIDE), to);
    for (Layer layer : layers) {
      layer.write(kind, to);
    }
    for (int type = 0; type < TYPES; type++) {
      for (int i = 0; i < positions.length; i++) {
        to.putFloat(positions[i] + types[type * SIDE + i % SIDE]);
      }
    }
    floats(words, to);
    Files.write(file, Arrays.copyOf(to.array(), to.position()));
  }

  private static float[] ones(int count) {
    float[] ones = new float[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static void floats(float[] values, ByteBuffer to) {
    for (float value : values) {
      to.putFloat(value);
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
