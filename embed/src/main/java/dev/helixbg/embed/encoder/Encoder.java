package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.EncoderWeights.BLOCKS;
import static dev.helixbg.embed.encoder.EncoderWeights.ROW;
import static dev.helixbg.embed.encoder.Square.SIDE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The project's own engine for MiniLM, which computes in integers. MiniLM is a BERT (Devlin et al.
 * 2018) with 384 values per token and 12 heads. The texts of a batch follow each other without
 * padding. The values of each token are rounded with a scale of their own, so a text's states do
 * not depend on other texts.
 */
public final class Encoder implements AutoCloseable {
  public static final int LONGEST = AttentionCode.TOKENS;

  private static final int HEADS = SIDE / AttentionCode.HEAD;

  /** Number of rows that the feed-forward network computes at a time; they fit into the cache. */
  private static final int TILE = 96;

  private final Arena arena = Arena.ofShared(); // owns the weights
  private final EncoderWeights weights;
  private final EncoderKernels kernels;
  private final Mask mask = new Mask(arena);
  private final Deque<Workspace> idle = new ConcurrentLinkedDeque<>();

  /**
   * @param file a file written by {@code EncoderFile}
   * @throws IOException when the file cannot be read, or is not such a file
   * @throws UnsupportedOperationException when processor or system cannot run the machine code
   */
  public Encoder(Path file) throws IOException {
    try {
      weights = EncoderWeights.open(file, arena);
      if (!isAvailable(weights.kind)) {
        throw new UnsupportedOperationException(
            "the processor lacks the vector instructions (AVX2 or VNNI) that multiply small"
                + " integers");
      }
      kernels = EncoderKernels.ofThisMachine(weights.kind);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  public static boolean isAvailable(Square kind) {
    return EncoderKernels.apply(kind);
  }

  /**
   * Returns the states after the last layer. Several threads may call this method at once.
   *
   * @param ids token ids of each text; at most {@link #LONGEST} per text
   * @param types token type of each token
   * @throws IndexOutOfBoundsException when a text is too long or has an invalid token
   * @return 384 values for each token; for a pair judge, for each text's first token only
   */
  public float[] states(int[][] ids, int[][] types) {
    if (ids.length == 0) {
      return new float[0]; // the machine code's loops need a count of at least 1
    }
    int tokens = 0;
    for (int text = 0; text < ids.length; text++) {
      weights.check(ids[text], types[text]);
      tokens += ids[text].length;
    }
    Workspace workspace = idle.poll();
    if (workspace != null && workspace.rows < tokens + AttentionCode.ROWS) {
      workspace.arena.close();
      workspace = null;
    }
    if (workspace == null) {
      workspace = new Workspace(tokens);
    }
    float[] states = workspace.run(ids, types, tokens);
    idle.push(workspace);
    return states;
  }

  /** Frees the memory; meanwhile, no thread may call {@link #states}. */
  @Override
  public void close() {
    idle.forEach(workspace -> workspace.arena.close());
    idle.clear();
    arena.close();
  }

  private final class Workspace {
    private final Arena arena = Arena.ofShared();
    private final int rows;
    private final MemorySegment states;
    private final MemorySegment sums;
    private final MemorySegment numbers;
    private final MemorySegment steps;
    private final long queries;
    private final long keys;
    private final long values;
    private final long context;
    private final long block;
    private final long blockNumbers;
    private final long blockSteps;
    private final long turned;
    private final MemorySegment scores;

    /**
     * Allocates zeroed memory for at least {@code least} rows. Results of unused rows are never
     * read, but must not be NaN.
     */
    Workspace(int least) {
      int used = Math.max(LONGEST, least) + AttentionCode.ROWS; // with rows after the last text
      rows = Math.ceilDiv(used, TILE) * TILE;
      states = floats(rows);
      sums = floats(rows);
      numbers = arena.allocate((long) rows * weights.kind.row, 64);
      steps = arena.allocate(4L * rows, 64);
      queries = floats(rows).address();
      keys = floats(rows).address();
      values = floats(rows).address();
      context = floats(rows).address();
      block = floats(TILE).address();
      blockNumbers = arena.allocate((long) TILE * weights.kind.row, 64).address();
      blockSteps = arena.allocate(4L * TILE, 64).address();
      turned = wide(AttentionCode.HEAD).address();
      scores = wide(LONGEST + AttentionCode.ROWS);
    }

    private MemorySegment floats(int rows) {
      return arena.allocate((long) rows * ROW, 64);
    }

    private MemorySegment wide(int rows) {
      return arena.allocate((long) rows * AttentionCode.WIDE_STRIDE, 64);
    }

    private float[] run(int[][] ids, int[][] types, int tokens) {
      long at = 0;
      for (int text = 0; text < ids.length; text++) {
        for (int i = 0; i < ids[text].length; i++, at += ROW) {
          weights.embed(ids[text][i], i, types[text][i], sums, states, at);
        }
      }
      normalise(tokens, weights.embeddingNorm());
      int wanted = tokens;
      for (int layer = 0; layer < weights.layers; layer++) {
        boolean firstOnly = weights.judge && layer == weights.layers - 1;
        wanted = firstOnly ? ids.length : tokens;
        attention(layer, ids, tokens, firstOnly);
        feedForward(layer, wanted);
      }
      float[] result = new float[wanted * SIDE];
      MemorySegment.copy(states, ValueLayout.JAVA_FLOAT, 0, result, 0, result.length);
      return result;
    }

    private void attention(int layer, int[][] ids, int tokens, boolean firstOnly) {
      product(weights.square(layer, EncoderWeights.KEY), keys, tokens);
      product(weights.square(layer, EncoderWeights.VALUE), values, tokens);
      int asking = tokens;
      if (firstOnly) {
        firstRows(ids);
        asking = ids.length;
      }
      product(weights.square(layer, EncoderWeights.QUERY), queries, asking);
      int from = 0;
      for (int text = 0; text < ids.length; text++) {
        int length = ids[text].length;
        long query = (long) ROW * (firstOnly ? text : from);
        for (int head = 0; head < HEADS; head++) {
          long inRow = (long) head * AttentionCode.HEAD * Float.BYTES;
          kernels.attend(
              queries + query + inRow,
              firstOnly ? 1 : length,
              keys + (long) ROW * from + inRow,
              values + (long) ROW * from + inRow,
              length,
              turned,
              mask.of(length),
              scores.address(),
              context + query + inRow);
        }
        from += length;
      }
      kernels.round(context, numbers.address(), steps.address(), asking);
      product(weights.square(layer, EncoderWeights.OUTPUT), sums.address(), asking);
      normalise(asking, weights.attentionNorm(layer));
    }

    private void product(long square, long to, int rows) {
      kernels.product(numbers.address(), steps.address(), square, to, rows, false);
    }

    private void normalise(int rows, long gain) {
      kernels.normalise(
          sums.address(), numbers.address(), steps.address(), rows, states.address(), gain);
    }

    private void firstRows(int[][] ids) {
      int from = 0;
      for (int text = 0; text < ids.length; text++) {
        copy(states, ROW, from, text);
        copy(numbers, weights.kind.row, from, text);
        copy(steps, Float.BYTES, from, text);
        from += ids[text].length;
      }
    }

    private static void copy(MemorySegment rows, int size, int from, int to) {
      MemorySegment.copy(rows, (long) size * from, rows, (long) size * to, size);
    }

    private void feedForward(int layer, int count) {
      for (int from = 0; from < count; from += TILE) {
        int tile = Math.min(TILE, count - from);
        long in = numbers.address() + (long) weights.kind.row * from;
        long out = sums.address() + (long) ROW * from;
        for (int i = 0; i < BLOCKS; i++) {
          kernels.product(
              in,
              steps.address() + 4L * from,
              weights.square(layer, EncoderWeights.UP + i),
              block,
              tile,
              false);
          kernels.gelu(block, blockNumbers, blockSteps, tile, weights.geluFactors(layer, i));
          kernels.product(
              blockNumbers,
              blockSteps,
              weights.square(layer, EncoderWeights.DOWN + i),
              out,
              tile,
              i > 0);
        }
      }
      normalise(count, weights.feedForwardNorm(layer));
    }
  }
}
