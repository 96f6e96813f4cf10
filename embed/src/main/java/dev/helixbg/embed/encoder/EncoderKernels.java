package dev.helixbg.embed.encoder;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;

/**
 * The encoder's machine code. The caller must have checked all addresses. A row has 384 floats, or
 * 384 integers of a {@link Square} kind.
 */
record EncoderKernels(
    Square kind,
    NativeFunction product,
    NativeFunction addingProduct,
    NativeFunction rounding,
    NativeFunction gelu,
    NativeFunction normalisation,
    NativeFunction turn,
    NativeFunction scores,
    NativeFunction softmax,
    NativeFunction results,
    int bits) {
  private static final boolean WIDE =
      Integer.getInteger("helixbg.vector.bits", 512) >= 512 && MachineCode.runs("avx512_vnni");
  private static final boolean VNNI = WIDE || MachineCode.runs("avx_vnni");

  static boolean apply(Square kind) {
    return (VNNI || kind != Square.FINE_BYTES && MachineCode.runs("avx2"))
        && MachineCode.has("avx2", "fma");
  }

  /**
   * Makes the machine code. Matrix products and attention use vectors of 512 bits if these can
   * multiply bytes, and otherwise vectors of 256 bits.
   *
   * @throws UnsupportedOperationException when the system forbids programs to make machine code
   */
  static EncoderKernels ofThisMachine(Square kind) {
    int bits = WIDE ? 512 : 256;
    return new EncoderKernels(
        kind,
        function(new SquareCode(kind, bits, VNNI, false).code()),
        function(new SquareCode(kind, bits, VNNI, true).code()),
        function(new RowCode(kind).round()),
        function(new RowCode(kind).gelu()),
        function(new RowCode(kind).normalise()),
        function(AttentionCode.turn()),
        function(AttentionCode.scores(bits)),
        function(AttentionCode.softmax()),
        function(AttentionCode.results(bits)),
        bits);
  }

  private static NativeFunction function(byte[] code) {
    return MachineCode.function(code)
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "the system does not let programs make machine code"));
  }

  /**
   * Computes {@code sums[row][output] = bias + step · Σ numbers · weights}, where {@code step} is
   * the row's step times the output's step. A step is the float that the integer 1 represents.
   *
   * @param adds whether the products are added to the present {@code sums} instead of the biases
   */
  void product(long numbers, long steps, long square, long sums, int rows, boolean adds) {
    NativeFunction function = adds ? addingProduct : product;
    int panels = Math.ceilDiv(rows, SquareCode.ROWS);
    int part =
        bits / 8 * SquareCode.vectors(bits); // size of the outputs computed at once, in bytes
    for (int from = 0; from < Square.PANELS * Square.LINE; from += part) {
      long weights = square + kind.weights(from);
      function.call(numbers, steps, weights, sums + from, panels, 0, 0, 0);
    }
  }

  /**
   * Rounds rows. A row's largest magnitude becomes the largest integer, and 0 becomes {@link
   * Square#zero}.
   */
  void round(long rows, long numbers, long steps, int count) {
    rounding.call(rows, numbers, steps, count, 0, 0, 0, 0);
  }

  /**
   * Computes GELU in place, adds {@link Square#GELU_SHIFT}, multiplies each column by one of the
   * 384 floats at {@code factors}, and writes the rounded results to {@code numbers}.
   */
  void gelu(long rows, long numbers, long steps, int count, long factors) {
    gelu.call(rows, numbers, steps, count, factors, 0, 0, 0);
  }

  /**
   * Computes {@code states = LayerNorm(sums + states)}, stores each state times its column's factor
   * in {@code sums}, and writes these products, rounded, to {@code numbers}.
   *
   * @param gain address of 384 gains, followed by 384 biases and 384 factors
   */
  void normalise(long sums, long numbers, long steps, int count, long states, long gain) {
    normalisation.call(sums, numbers, steps, count, states, gain, 0, 0);
  }

  /**
   * Computes the attention of one head for {@code count} queries. The rows after these queries are
   * computed, too, until a group of {@link AttentionCode#ROWS} rows is full.
   *
   * @param queries queries, already multiplied by log2(e) / √32
   * @param tokens number of tokens of the text. The values of up to three more tokens are read,
   *     too, and multiplied by 0
   * @param turned memory for transposed keys: {@link AttentionCode#HEAD} rows, each of {@link
   *     AttentionCode#WIDE_STRIDE} bytes
   * @param mask {@link Mask} for {@code tokens} tokens
   * @param scores memory for scores: one row of {@link AttentionCode#WIDE_STRIDE} bytes per query
   */
  void attend(
      long queries,
      int count,
      long keys,
      long values,
      int tokens,
      long turned,
      long mask,
      long scores,
      long results) {
    int panel = bits / Float.SIZE * AttentionCode.VECTORS;
    int groups = Math.ceilDiv(count, AttentionCode.ROWS);
    int rows = groups * AttentionCode.ROWS;
    turn.call(keys, turned, tokens);
    this.scores.call(
        queries, turned, scores, AttentionCode.HEAD / 4, Math.ceilDiv(tokens, panel), groups, 0, 0);
    softmax.call(scores, mask, Math.ceilDiv(tokens, 8), rows, 0, 0, 0, 0);
    this.results.call(
        scores, values, results, Math.ceilDiv(tokens, 4), AttentionCode.HEAD / panel, groups, 0, 0);
  }
}
