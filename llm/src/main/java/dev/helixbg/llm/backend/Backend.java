package dev.helixbg.llm.backend;

import dev.helixbg.llm.tensor.Tensor;

/**
 * A device that runs the steps of a transformer's layers on its own buffers.
 *
 * <p>A layer has six steps. Each step groups operations that a device can fuse. A step processes
 * the rows of a {@link Batch}: one token or many, of one sequence or several. Decoding and reading
 * prompts therefore use the same calls. A device may run a step immediately (the CPU) or only
 * encode it (a GPU). The host may read results and write inputs only after {@link #submit} and
 * {@link Submission#await}. Steps see the results of earlier steps, also across submissions. A step
 * uses its batch only until the call returns.
 *
 * <p>Notation: {@code x[r]} is row r of x; {@code W·v} is the product of a matrix of shape rows ×
 * columns with a vector of {@code columns} values; {@code norm(v)ᵢ = vᵢ · gainᵢ / √(mean(v²) + ε)}.
 * All activations are 32-bit floats. {@code ScalarBackend} defines the result of each step; other
 * backends agree with it within the bounds of the contract tests.
 *
 * <p>One thread at a time may use a backend and its buffers. Buffers must be used with the backend
 * that made them. Steps do not check shapes; the caller checks them once when it loads a model.
 * {@link #close} frees everything that the backend made; weights stay in the tensors' own memory.
 */
public interface Backend extends AutoCloseable {
  /** Returns the name that users see, such as {@code scalar}, {@code cpu}, {@code metal}. */
  String name();

  /**
   * Returns how many submissions should be in flight at once: 1 if steps run immediately, more if
   * the host can encode a pass while the device runs the preceding pass.
   */
  int depth();

  /**
   * Returns the maximum number of rows that a forward pass computes separately, row by row, if each
   * row belongs to a different sequence. Returns 0 if the backend never computes rows separately.
   */
  default int fewRows() {
    return 0;
  }

  /**
   * Returns whether one batch may contain new positions of a sequence and also a fork that
   * continues them. The fork's rows then attend to keys and values that the same pass computes.
   */
  boolean forksWithinPass();

  BackendCounters counters();

  // ---- buffers --------------------------------------------------------------------------------

  /**
   * Returns a weight matrix that uses the tensor's memory, so {@code tensor.data()} must outlive
   * the backend. A one-dimensional tensor becomes a matrix of one row.
   */
  Matrix matrix(Tensor tensor);

  /** Makes a buffer of {@code rows} × {@code columns} floats, all zero. */
  Activations activations(int rows, int columns);

  /** Makes {@code slots} independent lists of up to {@code rows} token ids. */
  TokenSlots tokens(int slots, int rows);

  /**
   * Makes the rotation angles of positions 0 to {@code positions − 1}. Pair i of a head turns by
   * {@code position · base^(−2i / headSize)} radians; {@code headSize} is even.
   */
  Rope rope(int headSize, double base, int positions);

  KvCache cache(KvShape shape);

  // ---- the steps ------------------------------------------------------------------------------

  /**
   * Computes {@code x[r] = row tokens[slot][r] of table}. Each token id must be the index of a row
   * of the table.
   */
  void embed(Batch batch, TokenSlots tokens, int slot, Matrix table, Activations x);

  /** Computes {@code n = norm(x[r]); q[r] = Wq·n; k[r] = Wk·n; v[r] = Wv·n}. */
  void normProject(
      Batch batch, Activations x, Norm norm, Matrix wq, Matrix wk, Matrix wv, Qkv target);

  /**
   * Computes {@code q = rotate(norm(q))} and {@code k = rotate(norm(k))} for each row and head.
   * Then writes each row's k and v to the cache of the row's sequence, at the row's position in
   * {@code layer}. Rotation turns the pairs (i, i + headSize/2) by the angles of the row's
   * position. A device may delay this step until {@link #attend}. After {@code attend}, k and
   * possibly q are undefined.
   */
  void rotateAndCache(Batch batch, Qkv qkv, Norm qNorm, Norm kNorm, Rope rope, int layer);

  /**
   * Computes causal grouped attention for each row and query head h: {@code target[r][h] = Σ
   * softmaxₚ (q·kₚ / √headSize) · vₚ}. The sum covers the positions p from 0 to the row's position,
   * inclusive. The keys and values belong to KV head {@code h / (heads / kvHeads)}.
   */
  void attend(Batch batch, Activations q, int layer, Activations target);

  /** Copies the wanted rows (rows whose logits are needed): {@code target[i] = x[wanted(i)]}. */
  void keepWanted(Batch batch, Activations x, Activations target);

  /** Computes {@code x[r] += W·input[r]}. */
  void addProduct(Batch batch, Activations input, Matrix w, Activations x);

  /**
   * Computes {@code n = norm(x[r]); target[r] = silu(Wgate·n) ⊙ (Wup·n)}, with {@code silu(z) = z /
   * (1 + exp(−z))}.
   */
  void normGateUp(
      Batch batch, Activations x, Norm norm, Matrix gate, Matrix up, Activations target);

  /** Computes the logits of the wanted rows: {@code logits[i] = W·norm(x[wanted(i)])}. */
  void logits(Batch batch, Activations x, Norm norm, Matrix output, Activations logits);

  /**
   * Sets {@code tokens[slot][i]} to the index of the largest value of {@code logits[i]}, for each
   * wanted row i. If the largest value occurs several times, the first occurrence is chosen. On the
   * CPU, the index is 0 if any value is NaN. On a GPU, it is 0 if all values are NaN.
   */
  void argmax(Batch batch, Activations logits, TokenSlots tokens, int slot);

  /**
   * Hands all steps since the previous {@code submit} to the device. The returned submission ends
   * when these steps and all earlier steps have ended.
   */
  Submission submit();

  @Override
  void close();

  /**
   * A device's buffer of 32-bit floats, rows × columns. The host may access a buffer only while no
   * submission in flight uses it. {@code read} and {@code write} copy the {@code columns} values of
   * a row.
   */
  public interface Activations {
    int rows();

    int columns();

    void read(int row, float[] target);

    void write(int row, float[] source);
  }

  public interface Matrix {
    int rows();

    int columns();
  }

  /** A root-mean-square normalisation; {@code gain} is one row of 32-bit floats. */
  public record Norm(Matrix gain, float epsilon) {}

  /**
   * Queries, keys and values of a batch. A row has the values of all heads, one head after another.
   */
  public record Qkv(Activations q, Activations k, Activations v) {}

  /** Rotation angles of all positions, in a format that only the backend knows. */
  public interface Rope {}

  public interface Submission {
    /** Submission whose steps have all ended before {@link Backend#submit} returns. */
    Submission DONE = () -> {};

    /** Waits until all steps have ended; throws an exception if a step failed. */
    void await();
  }
}
