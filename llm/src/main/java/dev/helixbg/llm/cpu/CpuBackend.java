package dev.helixbg.llm.cpu;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.Batch.Span;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostBackend;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.backend.host.HostRope;
import dev.helixbg.llm.cpu.kernel.HalfFloats;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Runs models on the CPU, with the Vector API and several threads.
 *
 * <p>Each step of a pass (a method of {@code Backend}) runs as soon as it is called. A row's result
 * is bit-identical for any values of the other rows. Some results can be computed in two ways,
 * which may differ in the last bits. Only numbers of rows decide between the two ways:
 *
 * <ul>
 *   <li>for products, whether the pass has more than {@link Matmul#FEW} rows (see {@link Matmul});
 *   <li>for logits, whether the logits of more than {@link Matmul#FEW} rows are wanted;
 *   <li>for attention, the length of the row's span, which is a run of consecutive rows of one
 *       sequence (see {@link BatchAttention}). After {@link Batch#narrow}, each row is a span of
 *       its own.
 * </ul>
 */
public final class CpuBackend extends HostBackend {
  private static final boolean FUSES =
      Boolean.parseBoolean(
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
              .getVMOption("UseFMA")
              .getValue());

  private static final int ROW_PARTS_PER_MEMBER = 4;

  private final ThreadTeam team;
  private final ThreadScratch[] scratch;
  private final Matmul products;
  private final BatchAttention attention;

  private HostActivations normed;
  private HostActivations gates;

  /**
   * @param beforeTiles called before more than {@link Matmul#FEW} rows are multiplied; waits until
   *     the kernels for this are compiled
   */
  public CpuBackend(int threads, Runnable beforeTiles) {
    team = new ThreadTeam(threads);
    try {
      scratch = new ThreadScratch[team.size()];
      Arrays.setAll(scratch, member -> new ThreadScratch(arena()));
      products = new Matmul(arena(), team, scratch, beforeTiles);
      attention = new BatchAttention(arena(), scratch);
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  public static String vectors() {
    return "vectors of %d bits, %s"
        .formatted(
            Lanes.COUNT * Float.SIZE,
            ByteProduct.AVAILABLE
                ? "prompts multiplied as bytes (" + ByteProduct.INSTRUCTIONS + ")"
                : "prompts multiplied as floats");
  }

  /**
   * Returns a sentence that says why this backend is slower than the scalar backend; empty if it is
   * not slower. Without an instruction for fused multiply-adds, the JVM computes them in software,
   * a hundred times slower.
   */
  public static Optional<String> slowness() {
    return FUSES
        ? Optional.empty()
        : Optional.of(
            "this processor, or the JVM on it, has no fused multiply-add (on x86: FMA, with AVX);"
                + " models run on the scalar backend, on one thread");
  }

  @Override
  public String name() {
    return "cpu";
  }

  @Override
  public int fewRows() {
    return Matmul.FEW;
  }

  @Override
  public void close() {
    team.close();
    super.close();
  }

  @Override
  public void normProject(
      Batch batch, Activations x, Norm norm, Matrix wq, Matrix wk, Matrix wv, Qkv target) {
    normalised(x, norm, batch.rows(), null);
    products.begin(false);
    product(wq, target.q());
    product(wk, target.k());
    product(wv, target.v());
    multiply(normed, batch.rows(), batch.passRows());
  }

  @Override
  public void rotateAndCache(Batch batch, Qkv qkv, Norm qNorm, Norm kNorm, Rope rope, int layer) {
    HostRope angles = (HostRope) rope;
    for (Span span : batch.spans()) {
      angles.fillTo(span.start() + span.count());
    }
    rows(
        batch.rows(),
        r -> {
          Span span = batch.spanOf(r);
          int position = span.start() + r - span.firstRow();
          rotateHeads((HostActivations) qkv.q(), r, qNorm, angles, position);
          rotateHeads((HostActivations) qkv.k(), r, kNorm, angles, position);
          store((HostKvCache) span.cache(), qkv, r, position, layer);
        });
  }

  private static void rotateHeads(
      HostActivations x, int r, Norm norm, HostRope rope, int position) {
    long gain = ((HostMatrix) norm.gain()).address(0);
    long angles = rope.table().address() + rope.cosines(position);
    int size = 2 * rope.pairs();
    for (int at = 0; at < x.columns(); at += size) {
      VectorOps.normaliseAndRotate(
          x.address(r) + 4L * at, rope.pairs(), gain, norm.epsilon(), angles);
    }
  }

  private static void store(HostKvCache cache, Qkv qkv, int r, int position, int layer) {
    int size = cache.shape().headSize();
    HostActivations k = (HostActivations) qkv.k();
    HostActivations v = (HostActivations) qkv.v();
    for (int head = 0; head < cache.shape().kvHeads(); head++) {
      long from = 4L * head * size;
      HalfFloats.packF16(k.address(r) + from, size, cache.key(position, layer, head));
      HalfFloats.packF16(v.address(r) + from, size, cache.value(position, layer, head));
    }
  }

  @Override
  public void attend(Batch batch, Activations q, int layer, Activations target) {
    HostActivations to = (HostActivations) target;
    team.run(attention, attention.parts(batch, (HostActivations) q, layer, to, team.size()));
    counters().add(Counter.DISPATCHES, 1);
  }

  @Override
  public void addProduct(Batch batch, Activations input, Matrix w, Activations x) {
    products.begin(true);
    product(w, x);
    multiply((HostActivations) input, batch.rows(), batch.passRows());
  }

  @Override
  public void normGateUp(
      Batch batch, Activations x, Norm norm, Matrix gate, Matrix up, Activations target) {
    normalised(x, norm, batch.rows(), null);
    HostActivations to = (HostActivations) target;
    gates = room(gates, to);
    products.begin(false);
    product(gate, gates);
    product(up, to);
    multiply(normed, batch.rows(), batch.passRows());
    rows(batch.rows(), r -> VectorOps.gate(gates.address(r), to.columns(), to.address(r)));
  }

  @Override
  public void logits(Batch batch, Activations x, Norm norm, Matrix output, Activations logits) {
    normalised(x, norm, batch.wanted(), batch);
    products.begin(false);
    product(output, logits);
    multiply(normed, batch.wanted(), batch.wanted());
  }

  @Override
  public void argmax(Batch batch, Activations logits, TokenSlots tokens, int slot) {
    HostActivations values = (HostActivations) logits;
    for (int i = 0; i < batch.wanted(); i++) {
      long at = values.address(i);
      float max = VectorOps.max(at, values.columns());
      tokens.set(slot, i, VectorOps.indexOf(at, values.columns(), max));
    }
  }

  // ---- shared by the steps --------------------------------------------------------------------

  private void product(Matrix matrix, Activations target) {
    HostMatrix w = (HostMatrix) matrix;
    products.matrix(w, (HostActivations) target);
    counters().add(Counter.WEIGHT_BYTES, w.rows() * w.rowBytes());
  }

  private void multiply(HostActivations x, int rows, int passRows) {
    boolean few = passRows <= Matmul.FEW;
    products.run(x, rows, few);
    counters().add(Counter.DISPATCHES, few ? 1 : 2);
  }

  /**
   * Normalises {@code rows} rows of x and writes the results to {@link #normed}. If {@code wanted}
   * is null, takes the first rows of x. Otherwise, takes the rows whose logits the batch {@code
   * wanted} needs.
   */
  private void normalised(Activations x, Norm norm, int rows, Batch wanted) {
    HostActivations from = (HostActivations) x;
    normed = room(normed, from);
    long gain = ((HostMatrix) norm.gain()).address(0);
    rows(
        rows,
        r -> {
          long values = from.address(wanted == null ? r : wanted.wantedRow(r));
          VectorOps.normalise(values, from.columns(), gain, norm.epsilon(), normed.address(r));
        });
  }

  private void rows(int rows, IntConsumer row) {
    if (rows <= Matmul.FEW) {
      for (int r = 0; r < rows; r++) {
        row.accept(r);
      }
      return;
    }
    int parts = Math.min(rows, ROW_PARTS_PER_MEMBER * team.size());
    team.run(
        (member, part) -> {
          int end = (int) ((long) rows * (part + 1) / parts);
          for (int r = (int) ((long) rows * part / parts); r < end; r++) {
            row.accept(r);
          }
        },
        parts);
    counters().add(Counter.DISPATCHES, 1);
  }

  /**
   * Returns {@code held} if it has room for activations of the size of {@code like}; otherwise,
   * makes new activations of that size.
   */
  private HostActivations room(HostActivations held, HostActivations like) {
    if (held != null && held.rows() >= like.rows() && held.columns() == like.columns()) {
      return held;
    }
    return (HostActivations) activations(like.rows(), like.columns());
  }
}
