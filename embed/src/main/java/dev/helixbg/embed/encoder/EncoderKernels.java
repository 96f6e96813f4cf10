package dev.helixbg.embed.encoder;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.util.Optional;

/**
 * The encoder's machine code, made once; memory is given by addresses, which the caller vouches
 * for. Rows are of 384 floats or bytes.
 */
record EncoderKernels(
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
   * @throws UnsupportedOperationException where the system refuses
   */
  static EncoderKernels ofThisMachine() {
    int bits = WIDE ? 512 : 256;
    return new EncoderKernels(
        function(new SquareCode(bits, VNNI, false).code()),
        function(new SquareCode(bits, VNNI, true).code()),
        function(RowCode.round()),
        function(RowCode.gelu()),
        function(RowCode.normalise()),
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
   * {@code sums[row][output] (+)= bias + Σ bytes · weights}, with the steps of rows and outputs.
   *
   * @param adds to what is there; biases are left out
   */
  void product(long bytes, long steps, long square, long sums, int rows, boolean adds) {
    NativeFunction function = adds ? addingProduct : product;
    int panels = Math.ceilDiv(rows, SquareCode.ROWS);
    int part =
        bits / 8 * SquareCode.vectors(bits); // bytes of the outputs that are computed at once
    for (int panel = 0; panel < Square.PANELS; panel++) {
      for (int from = 0; from < Square.LINE; from += part) {
        long weights = square + (long) panel * Square.PANEL_BYTES + from;
        long to = sums + (long) panel * Square.LINE + from;
        function.call(bytes, steps, weights, to, panels, 0, 0, 0);
      }
    }
  }

  /** A row's largest magnitude becomes byte 255, 0 becomes {@link Square#ZERO}. */
  void round(long rows, long bytes, long steps, int count) {
    rounding.call(rows, bytes, steps, count, 0, 0, 0, 0);
  }

  /** GELU in place, {@link Square#GELU_SHIFT} more, and that rounded. */
  void gelu(long rows, long bytes, long steps, int count) {
    gelu.call(rows, bytes, steps, count, 0, 0, 0, 0);
  }

  /**
   * {@code states = LayerNorm(sums + states)}, and that rounded.
   *
   * @param gain of 384 floats, and a bias of as many
   */
  void normalise(long sums, long bytes, long steps, int count, long states, long gain) {
    normalisation.call(sums, bytes, steps, count, states, gain, 0, 0);
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
