package dev.helixbg.embed.encoder;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.util.Optional;

/**
 * The encoder's machine code, made once; memory is given by addresses, which the caller vouches
 * for. Rows are of 384 floats or numbers of a kind.
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

  /** Whether the processor has the instructions. */
  static final boolean APPLY = (VNNI || MachineCode.runs("avx2")) && MachineCode.has("avx2", "fma");

  /**
   * For as many bits as the processor multiplies bytes in.
   *
   * @param kind of the squares
   * @throws UnsupportedOperationException where the system refuses
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
      throw new UnsupportedOperationException("the system lets no program make code");
    }
    return function.get();
  }

  /**
   * {@code sums[row][output] (+)= bias + Σ numbers · weights}, with the steps of rows and outputs.
   *
   * @param adds to what is there; biases are left out
   */
  void product(long numbers, long steps, long square, long sums, int rows, boolean adds) {
    NativeFunction function = adds ? addingProduct : product;
    int panels = Math.ceilDiv(rows, SquareCode.ROWS);
    int part =
        bits / 8 * SquareCode.vectors(bits); // bytes of the outputs that are computed at once
    for (int panel = 0; panel < Square.PANELS; panel++) {
      for (int from = 0; from < Square.LINE; from += part) {
        long weights = square + (long) panel * kind.panel + from;
        long to = sums + (long) panel * Square.LINE + from;
        function.call(numbers, steps, weights, to, panels, 0, 0, 0);
      }
    }
  }

  /** A row's largest magnitude becomes the largest number, 0 becomes {@link Square#zero}. */
  void round(long rows, long numbers, long steps, int count) {
    rounding.call(rows, numbers, steps, count, 0, 0, 0, 0);
  }

  /** GELU in place, {@link Square#GELU_SHIFT} more, and that rounded. */
  void gelu(long rows, long numbers, long steps, int count) {
    gelu.call(rows, numbers, steps, count, 0, 0, 0, 0);
  }

  /**
   * {@code states = LayerNorm(sums + states)}, and that rounded.
   *
   * @param gain of 384 floats, and a bias of as many
   */
  void normalise(long sums, long numbers, long steps, int count, long states, long gain) {
    normalisation.call(sums, numbers, steps, count, states, gain, 0, 0);
  }

  /**
   * One head's attention: rows of results, and of queries, up to the next multiple of {@link
   * AttentionCode#ROWS} may be used.
   *
   * @param queries already times log2(e) / √32
   * @param tokens of the text, whose keys and values are read; the values of three more, times 0
   * @param turned {@link AttentionCode#HEAD} rows of {@link AttentionCode#WIDE_STRIDE} bytes
   * @param mask for as many tokens; see {@link AttentionCode#softmax}
   * @param scores as many rows of {@link AttentionCode#WIDE_STRIDE} bytes as queries
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
