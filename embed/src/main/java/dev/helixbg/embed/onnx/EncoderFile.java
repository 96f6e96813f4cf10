package dev.helixbg.embed.onnx;

import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.EncoderWeights;
import dev.helixbg.embed.encoder.Square;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Writes the weights of an exported MiniLM as integers, for {@link EncoderWeights}. */
public record EncoderFile(OnnxFile source, Square kind, Smoothing smoothing) {
  private static final int WIDTH = Square.SIDE;
  private static final int ROW = WIDTH * Float.BYTES;
  private static final int BLOCKS = EncoderWeights.BLOCKS;
  private static final int WIDE = BLOCKS * WIDTH;
  private static final String QUERY = "attention.self.query.";
  private static final String KEY = "attention.self.key.";
  private static final String VALUE = "attention.self.value.";

  /**
   * Factor of queries: 1 / √32, because a head has 32 values, times 1 / ln 2, because the softmax
   * computes powers of two.
   */
  private static final float QUERY_FACTOR = (float) (1 / Math.log(2) / Math.sqrt(32));

  /**
   * Writes the file that an {@code Encoder} runs.
   *
   * @param kind kind of the squares; {@link Square#FINE_BYTES} needs the bundled model, whose
   *     activations are known
   * @param judge whether the model is a pair judge, which needs only the state of each pair's first
   *     token
   * @param target the file that is written or replaced
   * @throws OnnxFormatException when the source is not a model that can be written
   */
  public static void write(OnnxFile source, Square kind, boolean judge, Path target)
      throws IOException {
    Smoothing smoothing = kind == Square.FINE_BYTES ? Smoothing.bundled() : Smoothing.NONE;
    EncoderFile file = new EncoderFile(source, kind, smoothing);
    AtomicFile.replace(target, out -> file.writeTo(out, judge));
  }

  private void writeTo(OutputStream out, boolean judge) throws IOException {
    int layers = source.layers();
    ByteBuffer words = source.rows("embeddings.word_embeddings.weight");
    float[] positions = OnnxFile.floats(source.rows("embeddings.position_embeddings.weight"));
    positions = Arrays.copyOf(positions, Math.min(positions.length, Encoder.LONGEST * WIDTH));
    float[] types = OnnxFile.floats(source.rows(OnnxFile.TYPES));
    if (!judge) {
      types = Arrays.copyOf(types, WIDTH); // all tokens of a single text have the first type
    }
    ByteBuffer header = buffer(EncoderWeights.HEADER);
    header.putLong(EncoderWeights.MAGIC).putInt(layers);
    header.putInt(words.remaining() / ROW).putInt(positions.length / WIDTH);
    header.putInt(types.length / WIDTH).putInt(judge ? 1 : 0).putInt(kind.ordinal());
    out.write(header.array());
    norm("embeddings.", attentionFactors(0), out);
    for (int layer = 0; layer < layers; layer++) {
      layer(layer, layer + 1 < layers ? attentionFactors(layer + 1) : Smoothing.ones(WIDTH), out);
    }
    for (int type = 0; type < types.length; type += WIDTH) {
      float[] sums = positions.clone();
      for (int i = 0; i < sums.length; i++) {
        sums[i] += types[type + i % WIDTH];
      }
      out.write(OnnxFile.bytes(sums).array());
    }
    Channels.newChannel(out).write(words);
  }

  private void layer(int index, float[] next, OutputStream out) throws IOException {
    String layer = OnnxFile.layer(index);
    float[] output = matrix(layer + "attention.output.dense.bias", WIDTH, WIDTH);
    float[] toOutput = smoothing.factors(index, Smoothing.Input.CONTEXT, WIDTH, output);
    float[] up = matrix(layer + "intermediate.dense.bias", WIDTH, WIDE);
    float[] toUp = smoothing.factors(index, Smoothing.Input.ATTENDED, WIDE, up);
    float[] down = matrix(layer + "output.dense.bias", WIDE, WIDTH);
    float[] toDown = smoothing.factors(index, Smoothing.Input.GELU, WIDTH, down);
    float[] in = attentionFactors(index);
    ByteBuffer squares = buffer(EncoderWeights.SQUARES * kind.size);
    for (String name : List.of(QUERY, KEY, VALUE)) {
      float[] weights = attention(index, name);
      float[] biases = OnnxFile.floats(source.weight(layer + name + "bias", WIDTH));
      Smoothing.divideInputs(weights, WIDTH, in);
      if (name.equals(VALUE)) { // attention averages values, so the average has their factors
        Smoothing.multiplyOutputs(weights, toOutput);
        Smoothing.multiplyOutputs(biases, toOutput);
      }
      kind.pack(weights, 0, WIDTH, name.equals(QUERY) ? QUERY_FACTOR : 1, biases, 0, null, squares);
    }
    float[] outputBiases =
        OnnxFile.floats(source.weight(layer + "attention.output.dense.bias", WIDTH));
    Smoothing.divideInputs(output, WIDTH, toOutput);
    kind.pack(output, 0, WIDTH, 1, outputBiases, 0, null, squares);
    float[] upBiases = OnnxFile.floats(source.weight(layer + "intermediate.dense.bias", WIDE));
    Smoothing.divideInputs(up, WIDE, toUp);
    for (int block = 0; block < BLOCKS; block++) {
      kind.pack(up, block * WIDTH, WIDE, 1, upBiases, block * WIDTH, null, squares);
    }
    float[] downBiases = OnnxFile.floats(source.weight(layer + "output.dense.bias", WIDTH));
    Smoothing.divideInputs(down, WIDTH, toDown);
    // The biases of each block compensate for the shift after GELU. Only the first block also has
    // the model's biases.
    ByteBuffer blocks = buffer(BLOCKS * kind.size);
    for (int block = 0; block < BLOCKS; block++) {
      float[] shifts = Arrays.copyOfRange(toDown, block * WIDTH, (block + 1) * WIDTH);
      for (int i = 0; i < WIDTH; i++) {
        shifts[i] *= Square.GELU_SHIFT;
      }
      float[] biases = block == 0 ? downBiases : null;
      kind.pack(down, block * WIDTH * WIDTH, WIDTH, 1, biases, 0, shifts, blocks);
    }
    kind.gatherBiases(blocks.array(), BLOCKS);
    squares.put(blocks.array());
    out.write(squares.array());
    norm(layer + "attention.output.", toUp, out);
    norm(layer + "output.", next, out);
    out.write(OnnxFile.bytes(toDown).array());
  }

  private float[] attentionFactors(int layer) throws IOException {
    return smoothing.attentionFactors(
        layer, attention(layer, QUERY), attention(layer, KEY), attention(layer, VALUE));
  }

  private float[] attention(int layer, String name) throws IOException {
    return matrix(OnnxFile.layer(layer) + name + "bias", WIDTH, WIDTH);
  }

  private float[] matrix(String bias, int rows, int columns) throws IOException {
    return OnnxFile.floats(source.matrix(bias, rows, columns));
  }

  private void norm(String block, float[] factors, OutputStream out) throws IOException {
    WritableByteChannel channel = Channels.newChannel(out);
    channel.write(source.weight(block + "LayerNorm.weight", WIDTH));
    channel.write(source.weight(block + "LayerNorm.bias", WIDTH));
    channel.write(OnnxFile.bytes(factors));
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
