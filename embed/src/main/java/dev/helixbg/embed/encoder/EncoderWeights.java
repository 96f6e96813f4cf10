package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.Square.SIDE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * The weights of a MiniLM as integers, from a file written by {@code EncoderFile}.
 *
 * <p>Format, little-endian:
 *
 * <ul>
 *   <li>the header: {@link #MAGIC}; ints: the numbers of layers, words, positions and token types,
 *       1 for a pair judge or 0 for an embedding model, and the ordinal of the {@link Square} kind;
 *       zeros up to {@link #HEADER} bytes;
 *   <li>the normalisation of the embeddings: 384 gains, 384 biases and 384 factors;
 *   <li>for each layer: twelve {@link Square}s; the normalisation after attention; the
 *       normalisation after the feed-forward; 1,536 factors after GELU;
 *   <li>for each token type, a row of 384 floats for each position: the type's embedding plus the
 *       position's embedding;
 *   <li>the word embeddings, in rows of 384 floats.
 * </ul>
 *
 * <p>Each activation is multiplied by its column's factor before it is rounded.
 */
public final class EncoderWeights {
  public static final long MAGIC = 0x0032434e45_2d5848L; // "HX-ENC2"

  public static final int HEADER = 64;

  /**
   * Indices of a layer's squares (matrices of 384 × 384 weights). Four squares begin at {@code UP},
   * and four at {@code DOWN}.
   */
  static final int QUERY = 0;

  static final int KEY = 1;
  static final int VALUE = 2;
  static final int OUTPUT = 3;
  static final int UP = 4;
  static final int DOWN = 8;
  public static final int SQUARES = 12;

  public static final int BLOCKS = 4;

  static final int ROW = SIDE * Float.BYTES;
  private static final int NORM = 3 * ROW;
  private static final int MOST_LAYERS = 48;
  private static final int MOST_ROWS = 1 << 20;

  final int layers;
  final int words;
  final int positions;
  final int types;
  final boolean judge;
  final Square kind;
  private final int layer; // size of a layer, in bytes

  // Both segments map the file's pages, which all processes share.
  private final MemorySegment dense;

  /** Rows of embeddings; a text needs only a few of these rows. */
  private final MemorySegment embeddings;

  private EncoderWeights(Arena arena, FileChannel file, Path path) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    while (header.hasRemaining() && file.read(header) > 0) {}
    header.flip();
    if (header.remaining() < HEADER || header.getLong() != MAGIC) {
      throw new IOException(path + " is not an encoder file of this program");
    }
    layers = between(1, MOST_LAYERS, header.getInt(), path);
    words = between(1, MOST_ROWS, header.getInt(), path);
    positions = between(1, AttentionCode.TOKENS, header.getInt(), path);
    types = between(1, MOST_ROWS, header.getInt(), path);
    judge = header.getInt() == 1;
    kind = Square.values()[between(0, Square.values().length - 1, header.getInt(), path)];
    layer = SQUARES * kind.size + 2 * NORM + BLOCKS * ROW;
    long size = NORM + (long) layers * layer;
    long rows = ((long) types * positions + words) * ROW;
    if (file.size() != HEADER + size + rows) {
      throw new IOException(
          "%s has %d bytes, not %d".formatted(path, file.size(), HEADER + size + rows));
    }
    dense = file.map(FileChannel.MapMode.READ_ONLY, HEADER, size, arena); // at a multiple of 64
    embeddings = file.map(FileChannel.MapMode.READ_ONLY, HEADER + size, rows, arena);
  }

  private static int between(int least, int most, int value, Path path) throws IOException {
    if (value < least || value > most) {
      throw new IOException(path + " has the invalid number " + value + " in its header");
    }
    return value;
  }

  /**
   * @throws IOException when the file cannot be read, or is not an encoder file
   */
  static EncoderWeights open(Path path, Arena arena) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      return new EncoderWeights(arena, file, path);
    }
  }

  long embeddingNorm() {
    return dense.address();
  }

  long square(int layer, int square) {
    return dense.address() + NORM + (long) layer * this.layer + (long) square * kind.size;
  }

  long attentionNorm(int layer) {
    return square(layer, SQUARES);
  }

  long feedForwardNorm(int layer) {
    return attentionNorm(layer) + NORM;
  }

  long geluFactors(int layer, int block) {
    return feedForwardNorm(layer) + NORM + (long) block * ROW;
  }

  /** Throws IndexOutOfBoundsException for an empty or too long text, or an invalid token. */
  void check(int[] text, int[] types) {
    if (text.length == 0 || text.length > positions) {
      throw new IndexOutOfBoundsException(
          "a text of %d tokens; the maximum is %d".formatted(text.length, positions));
    }
    for (int i = 0; i < text.length; i++) {
      Objects.checkIndex(text[i], words);
      Objects.checkIndex(types[i], this.types);
    }
  }

  void embed(int word, int position, int type, MemorySegment sums, MemorySegment states, long at) {
    long placed = (long) type * positions + position;
    long named = (long) types * positions + word;
    MemorySegment.copy(embeddings, named * ROW, sums, at, ROW);
    MemorySegment.copy(embeddings, placed * ROW, states, at, ROW);
  }
}
