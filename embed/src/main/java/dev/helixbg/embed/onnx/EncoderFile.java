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

/** Writes the weights of an exported MiniLM as integers, for {@link EncoderWeights}. */
public final class EncoderFile {
  private static final int WIDTH = Square.SIDE;
  private static final int ROW = WIDTH * Float.BYTES;
  private static final int BLOCKS = EncoderWeights.BLOCKS;

  /**
   * Factor of queries: 1 / (ln 2 · √32). The ln 2 turns scores into exponents of two; 32 is the
   * number of values of a head.
   */
  private static final float QUERY_FACTOR = (float) (1 / Math.log(2) / Math.sqrt(32));

  private final OnnxFile source;
  private final Square kind;

  private EncoderFile(OnnxFile source, Square kind) {
    this.source = source;
    this.kind = kind;
  }

  /**
   * @param kind kind of the squares
   * @param judge whether the model is the pair judge, which needs only the final state of each
   *     pair's first token
   * @param target the file that is written or replaced
   * @throws OnnxFormatException when the source is not a model that can be written
   */
  public static void write(OnnxFile source, Square kind, boolean judge, Path target)
      throws IOException {
    EncoderFile file = new EncoderFile(source, kind);
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
    norm("embeddings.", out);
    for (int layer = 0; layer < layers; layer++) {
      layer(OnnxFile.layer(layer), out);
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

  private void layer(String layer, OutputStream out) throws IOException {
    ByteBuffer squares = buffer(EncoderWeights.SQUARES * kind.size);
    square(layer + "attention.self.query.", QUERY_FACTOR, squares);
    square(layer + "attention.self.key.", 1, squares);
    square(layer + "attention.self.value.", 1, squares);
    square(layer + "attention.output.dense.", 1, squares);
    String upBias = layer + "intermediate.dense.bias";
    int wide = BLOCKS * WIDTH;
    float[] up = matrix(upBias, WIDTH, wide);
    float[] upBiases = OnnxFile.floats(source.weight(upBias, wide));
    for (int block = 0; block < BLOCKS; block++) {
      kind.pack(up, block * WIDTH, wide, 1, upBiases, block * WIDTH, false, squares);
    }
    String downBias = layer + "output.dense.bias";
    float[] down = matrix(downBias, wide, WIDTH);
    float[] downBiases = OnnxFile.floats(source.weight(downBias, WIDTH));
    // Each block has the term for the shift after GELU; only the first block has the biases.
    ByteBuffer blocks = buffer(BLOCKS * kind.size);
    for (int block = 0; block < BLOCKS; block++) {
      kind.pack(
          down,
          block * wide * WIDTH / BLOCKS,
          WIDTH,
          1,
          block == 0 ? downBiases : null,
          0,
          true,
          blocks);
    }
    kind.gatherBiases(blocks.array(), BLOCKS);
    squares.put(blocks.array());
    out.write(squares.array());
    norm(layer + "attention.output.", out);
    norm(layer + "output.", out);
  }

  private void square(String name, float factor, ByteBuffer to) throws IOException {
    float[] biases = OnnxFile.floats(source.weight(name + "bias", WIDTH));
    kind.pack(matrix(name + "bias", WIDTH, WIDTH), 0, WIDTH, factor, biases, 0, false, to);
  }

  private float[] matrix(String bias, int rows, int columns) throws IOException {
    return OnnxFile.floats(source.matrix(bias, rows, columns));
  }

  /** Writes gain and bias of a normalisation. */
  private void norm(String block, OutputStream out) throws IOException {
    WritableByteChannel channel = Channels.newChannel(out);
    channel.write(source.weight(block + "LayerNorm.weight", WIDTH));
    channel.write(source.weight(block + "LayerNorm.bias", WIDTH));
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
