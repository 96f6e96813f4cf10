package dev.helixbg.embed.encoder;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.util.Optional;

/**
 * The encoder's machine code. Memory is passed as addresses, which the caller must have checked. A
 * row has 384 floats, or 384 integers of a {@link Square} kind.
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

  /** Returns whether the processor has the instructions that a kind of squares needs. */
  static boolean apply(Square kind) {
    return (VNNI || kind != Square.FINE_BYTES && MachineCode.runs("avx2"))
        && MachineCode.has("avx2", "fma");
  }

  /**
   * Makes the machine code. Its vectors have 512 bits if the processor can multiply bytes in such
   * vectors, else 256 bits.
   *
   * @param kind kind of the weight matrices
   * @throws UnsupportedOperationException when the system forbids programs to make machine code
   */
  static EncoderKernels ofThisMachine(Square kind) {
    int bits = WIDE ? 512 : 256;
    return new EncoderKernels(
        kind,
        function(new SquareCode(kind, bits, VNNI, false).code()),
        function(new SquareCode(kind, bits, VNNI, true).code()),
        function(RowCode.round(kind)),
        function(RowCode.gelu(kind)),
        function(RowCode.normalise(kind)),
        function(AttentionCode.turn()),
        function(AttentionCode.scores(bits)),
        function(AttentionCode.softmax()),
        function(AttentionCode.results(bits)),
        bits);
  }

  private static NativeFunction function(byte[] code) {
    Optional<NativeFunction> function = MachineCode.function(code);
    if (function.isEmpty()) {
      throw new UnsupportedOperationException("the system does not let programs make machine code");
    }
    return function.get();
  }

  /**
   * Computes {@code sums[row][output] = bias + Σ numbers · weights}. The sum of the products is
   * multiplied by the steps of the row and of the output before the bias is added.
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
   * Rounds rows to integers: the largest magnitude of a row becomes the largest integer, and 0
   * becomes {@link Square#zero}.
   */
  void round(long rows, long numbers, long steps, int count) {
    rounding.call(rows, numbers, steps, count, 0, 0, 0, 0);
  }

  /**
   * Computes GELU in place, adds {@link Square#GELU_SHIFT}, multiplies each column by its factor,
   * and writes the rounded results to {@code numbers}.
   *
   * @param factors address of 384 floats
   */
  void gelu(long rows, long numbers, long steps, int count, long factors) {
    gelu.call(rows, numbers, steps, count, factors, 0, 0, 0);
  }

  /**
   * Computes {@code states = LayerNorm(sums + states)}. Then multiplies each column of the states
   * by its factor, stores the products in {@code sums}, and writes the rounded products to {@code
   * numbers}.
   *
   * @param gain address of 384 gains, followed by 384 biases and 384 factors
   */
  void normalise(long sums, long numbers, long steps, int count, long states, long gain) {
    normalisation.call(sums, numbers, steps, count, states, gain, 0, 0);
  }

  /**
   * Computes the attention of one head for {@code count} queries. The code reads queries and writes
   * results in groups of {@link AttentionCode#ROWS} rows. It therefore uses {@code count} rows,
   * rounded up to whole groups.
   *
   * @param queries queries, already multiplied by log2(e) / √32
   * @param tokens number of tokens of the text. The values of up to three more tokens are read and
   *     multiplied by 0.
   * @param turned memory for transposed keys: {@link AttentionCode#HEAD} rows, each of {@link
   *     AttentionCode#WIDE_STRIDE} bytes
   * @param mask mask for {@code tokens} tokens; see {@link AttentionCode#softmax}
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
