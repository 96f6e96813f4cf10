package dev.helixbg.llm.backend;

import dev.helixbg.llm.tensor.Tensor;

/**
 * A device that runs the steps of a transformer's layers over buffers that only it understands.
 *
 * <p>Each step has the grain at which devices want to fuse: six per layer. A step takes the rows of
 * a {@link Batch}, one token or many, of one sequence or several, so decoding and prefill are the
 * same calls. A device may run a step at once (the CPU) or only encode it (a GPU): results may be
 * read, and inputs written by the host, only after {@link #submit} and {@link Submission#await}.
 * Steps see what earlier steps wrote, also across submissions. A step looks at its batch only until
 * it returns.
 *
 * <p>Notation: {@code x[r]} is row r of x; {@code W·v} is the product of a matrix of shape rows ×
 * columns with a vector of {@code columns} values; {@code norm(v)ᵢ = v ᵢ · gainᵢ / √(mean(v²) +
 * ε)}. All activations are 32-bit floats. {@code ScalarBackend} spells each step out and defines
 * its result; other backends agree with it within the bounds of the contract tests.
 *
 * <p>A backend and all it made belong to one thread at a time. Buffers must come from the backend
 * they are given to. Shapes are the caller's duty, checked once when a model is loaded. {@link
 * #close} frees everything the backend made; weights stay in the tensors' own memory.
 */
public interface Backend extends AutoCloseable {
  /** How users name it: {@code scalar}, {@code cpu}, {@code metal}. */
  String name();

  /**
   * How many submissions are worth having under way at once: 1 where steps run at once, more where
   * the host can encode the next pass while the device still runs the last.
   */
  int depth();

  /**
   * Up to how many single tokens of different sequences a pass is computed as one after the other;
   * 0 where all passes are computed in one way.
   */
  default int fewRows() {
    return 0;
  }

  /**
   * Whether a sequence may be forked at positions that a batch has claimed but not yet computed,
   * and the fork go on in that same batch: it then attends to what the pass itself writes.
   */
  boolean forksWithinPass();

  BackendCounters counters();

  // ---- what it makes --------------------------------------------------------------------------

  /**
   * A weight matrix, used in place: {@code tensor.data()} must outlive the backend. One-dimensional
   * tensors become a matrix of one row.
   */
  Matrix matrix(Tensor tensor);

  /** A buffer for {@code rows} × {@code columns} floats, all zero. */
  Activations activations(int rows, int columns);

  /** Token ids: {@code slots} independent lists of up to {@code rows} ids. */
  TokenSlots tokens(int slots, int rows);

  /** The rotation of positions 0 to {@code positions − 1}. */
  Rope rope(RopeAngles angles, int positions);

  KvCache cache(KvShape shape);

  // ---- the steps ------------------------------------------------------------------------------

  /** {@code x[r] = row tokens[slot][r] of table}. The ids must be rows of the table. */
  void embed(Batch batch, TokenSlots tokens, int slot, Matrix table, Activations x);

  /** {@code n = norm(x[r]); q[r] = Wq·n; k[r] = Wk·n; v[r] = Wv·n}. */
  void normProject(
      Batch batch, Activations x, Norm norm, Matrix wq, Matrix wk, Matrix wv, Qkv target);

  /**
   * Per row and head: {@code q = rotate(norm(q))}, {@code k = rotate(norm(k))}; then k and v are
   * written to the row's place in its sequence's cache, for {@code layer}. Rotation turns the pairs
   * (i, i + headSize/2) by the angles of the row's position. A device may put it off until {@link
   * #attend}, after which k, and q where it is rotated on the way, are undefined.
   */
  void rotateAndCache(Batch batch, Qkv qkv, Norm qNorm, Norm kNorm, Rope rope, int layer);

  /**
   * Causal grouped attention: per row and query head h, with the keys and values of KV head {@code
   * h / (heads / kvHeads)} at all positions p up to the row's own: {@code target[r][h] = Σ softmaxₚ
   * (q·kₚ / √headSize) · vₚ}.
   */
  void attend(Batch batch, Activations q, int layer, Activations target);

  /** For the i-th of the wanted rows: {@code target[i] = x[wanted(i)]}. */
  void keepWanted(Batch batch, Activations x, Activations target);

  /** {@code x[r] += W·input[r]}. */
  void addProduct(Batch batch, Activations input, Matrix w, Activations x);

  /**
   * {@code n = norm(x[r]); target[r] = silu(Wgate·n) ⊙ (Wup·n)}, with {@code silu(z) = z / (1 +
   * exp(−z))}.
   */
  void normGateUp(
      Batch batch, Activations x, Norm norm, Matrix gate, Matrix up, Activations target);

  /** For the i-th of the rows whose logits are wanted: {@code logits[i] = W·norm(x[wanted(i)])}. */
  void logits(Batch batch, Activations x, Norm norm, Matrix output, Activations logits);

  /**
   * {@code tokens[slot][i]} = the place of the largest value of {@code logits[i]}, the first of
   * equals, for each wanted row i; 0 if one of them is NaN; on a GPU, if all are.
   */
  void argmax(Batch batch, Activations logits, TokenSlots tokens, int slot);

  /**
   * Hands all steps since the last call to the device.
   *
   * @return stands for all steps so far
   */
  Submission submit();

  @Override
  void close();

  /**
   * A device's buffer of 32-bit floats, rows × columns. The host may touch it only while nothing
   * that uses it is in flight.
   */
  public interface Activations {
    int rows();

    int columns();

    /** Copies a row to the first {@link #columns} places of {@code target}. */
    void read(int row, float[] target);

    /** Copies the first {@link #columns} values of {@code source} to a row. */
    void write(int row, float[] source);
  }

  /** A weight matrix as its backend sees it. */
  public interface Matrix {
    int rows();

    int columns();
  }

  /**
   * A root-mean-square normalisation.
   *
   * @param gain one row of 32-bit floats
   * @param epsilon added to the mean square
   */
  public record Norm(Matrix gain, float epsilon) {}

  /**
   * Queries, keys and values of the rows of a batch, heads side by side in each row.
   *
   * @param q rows × (heads · headSize)
   * @param k rows × (kvHeads · headSize)
   * @param v as {@code k}
   */
  public record Qkv(Activations q, Activations k, Activations v) {}

  /** Rotation angles by position and pair, as their backend keeps them. */
  public interface Rope {}

  /** Steps handed to a device. */
  public interface Submission {
    /** Submission of a device that has finished when {@link Backend#submit} returns. */
    Submission DONE = () -> {};

    /** Returns when all its steps are finished; fails if one of them did. */
    void await();
  }
}
