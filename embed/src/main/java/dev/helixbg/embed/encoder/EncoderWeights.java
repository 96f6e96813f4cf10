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
 * The weights of a MiniLM in whole numbers, as {@code EncoderFile} prepared them for this engine.
 *
 * <p>Format, little-endian: {@link #MAGIC}; ints: layers, words, positions, token types, whether it
 * is a judge of pairs (1) or of texts (0), the place of the squares' kind; zeros up to {@link
 * #HEADER}; gain and bias of the embeddings' normalisation; of each layer twelve {@link Square}s,
 * gain and bias behind attention, gain and bias behind the feed-forward; in rows of 384 floats, of
 * each token type each position's embedding with that of the type, then those of the words.
 */
public final class EncoderWeights {
  public static final long MAGIC = 0x0031434e45_2d5848L; // "HX-ENC1"

  public static final int HEADER = 64;

  /** Squares of a layer, in this order; four of each of the last two. */
  static final int QUERY = 0;

  static final int KEY = 1;
  static final int VALUE = 2;
  static final int OUTPUT = 3;
  static final int UP = 4;
  static final int DOWN = 8;
  public static final int SQUARES = 12;

  /** Blocks of 384 of the feed-forward's values. */
  public static final int BLOCKS = 4;

  static final int ROW = SIDE * Float.BYTES;
  private static final int NORM = 2 * ROW;
  private static final int MOST_LAYERS = 48;
  private static final int MOST_ROWS = 1 << 20;

  final int layers;
  final int words;
  final int positions;
  final int types;
  final boolean judge;
  final Square kind;
  private final int layer; // bytes of one

  // Both are the file's pages, which all processes share.
  /** All but the embeddings. */
  private final MemorySegment dense;

  /** A text needs a few of their rows. */
  private final MemorySegment embeddings;

  private EncoderWeights(Arena arena, FileChannel file, Path path) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    while (header.hasRemaining() && file.read(header) > 0) {}
    header.flip();
    if (header.remaining() < HEADER || header.getLong() != MAGIC) {
      throw new IOException(path + " is no encoder of this program");
    }
    layers = between(1, MOST_LAYERS, header.getInt(), path);
    words = between(1, MOST_ROWS, header.getInt(), path);
    positions = between(1, AttentionCode.TOKENS, header.getInt(), path);
    types = between(1, MOST_ROWS, header.getInt(), path);
    judge = header.getInt() == 1;
    kind = Square.values()[between(0, Square.values().length - 1, header.getInt(), path)];
    layer = SQUARES * kind.size + 2 * NORM;
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
      throw new IOException(path + " says that there are " + value + " of something");
    }
    return value;
  }

  /**
   * @param arena owns the memory
   * @throws IOException when the file is not as it should be
   */
  static EncoderWeights open(Path path, Arena arena) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      return new EncoderWeights(arena, file, path);
    }
  }

  /** The address of gain and bias of the embeddings' normalisation. */
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

  /**
   * @throws IndexOutOfBoundsException when a text is longer than there are positions, or has an
   *     invalid token or type
   */
  void check(int[] text, int[] types) {
    if (text.length == 0 || text.length > positions) {
      throw new IndexOutOfBoundsException(
          "a text of %d tokens, %d at most".formatted(text.length, positions));
    }
    for (int i = 0; i < text.length; i++) {
      Objects.checkIndex(text[i], words);
      Objects.checkIndex(types[i], this.types);
    }
  }

  /** The embedding of a token: of its word one row, of its position and type another. */
  void embed(int word, int position, int type, MemorySegment sums, MemorySegment states, long at) {
    long placed = (long) type * positions + position;
    long named = (long) types * positions + word;
    MemorySegment.copy(embeddings, named * ROW, sums, at, ROW);
    MemorySegment.copy(embeddings, placed * ROW, states, at, ROW);
  }
}
