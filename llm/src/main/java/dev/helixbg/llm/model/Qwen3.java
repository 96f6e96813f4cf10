package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.model.Qwen3.TapListener.Tap;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * A Qwen3 model on a backend; {@link #forward} computes all layers.
 *
 * <p>Source of the architecture: "Qwen3 Technical Report" (arXiv 2505.09388) and the tensor names
 * of the GGUF specification.
 */
public final class Qwen3 {
  /**
   * Minimum number of rows (tokens) of a pass whose layers are submitted to the device one by one.
   * Submitted work cannot be cancelled, but such a pass can be cancelled between its layers.
   */
  private static final int WIDE = 128;

  /** Number of tokens of the prompt in {@link #rehearse}; enough to be computed in large tiles. */
  private static final int PROMPT_ROWS = 72;

  /**
   * Number of rows in {@link #rehearse}: too many for products row by row, too few for large tiles.
   */
  private static final int FEW_ROWS = 8;

  /** Value of {@code cancelled} that never cancels a pass. */
  public static final BooleanSupplier NEVER = () -> false;

  private final Qwen3Config config;
  private final Qwen3Weights weights;
  private final Backend backend;
  private final MappedFile file;
  private final Rope rope;
  private final KvShape cacheShape;

  // State of a pass, with a row per token of the batch.
  private final Activations x; // the residual stream, of hidden columns
  private final Qkv qkv; // of queryWidth, kvWidth and kvWidth columns
  private final Activations wantedX; // the residual stream of the wanted rows only
  private final Activations wantedQ; // the queries of the wanted rows only
  private final Activations attended; // of queryWidth columns
  private final Activations gated; // of feedForward columns
  private final Activations logits; // of the wanted rows only; vocabulary columns

  private final Batch wanted;

  private TapListener taps = TapListener.NONE;

  /**
   * Opens the model in a file. The file must stay open, because its weights are used in place.
   *
   * @throws GgufException if the file is not a complete Qwen3 model
   */
  public static Qwen3 of(GgufFile file, Backend backend, PassLimits limits) {
    Qwen3Config config = Qwen3Config.from(file.metadata());
    Qwen3Weights weights = new Qwen3Tensors(file, config, backend::matrix, true).weights();
    return new Qwen3(config, weights, backend, limits, file.mapped());
  }

  /** Checks the names, types and shapes of a file's tensors, without reading their data. */
  public static void requireTensors(GgufFile file) {
    new Qwen3Tensors(file, Qwen3Config.from(file.metadata()), tensor -> null, false).weights();
  }

  private Qwen3(
      Qwen3Config config,
      Qwen3Weights weights,
      Backend backend,
      PassLimits limits,
      MappedFile file) {
    this.config = config;
    this.weights = weights;
    this.backend = backend;
    this.file = file;
    cacheShape = config.cacheShape(limits);
    rope = backend.rope(config.headSize(), config.ropeBase(), cacheShape.limit());
    x = backend.activations(limits.rows(), config.hidden());
    qkv =
        new Qkv(
            backend.activations(limits.rows(), config.queryWidth()),
            backend.activations(limits.rows(), config.kvWidth()),
            backend.activations(limits.rows(), config.kvWidth()));
    wantedX = backend.activations(limits.wanted(), config.hidden());
    wantedQ = backend.activations(limits.wanted(), config.queryWidth());
    wanted = new Batch(limits.wanted(), limits.wanted());
    attended = backend.activations(limits.rows(), config.queryWidth());
    gated = backend.activations(limits.rows(), config.feedForward());
    logits = backend.activations(limits.wanted(), vocabulary());
  }

  /**
   * Computes all layers for a batch, whose token ids are in slot {@code slot} of {@code tokens}.
   * Writes the logits of the wanted rows to {@link #logits()}. After a cancellation, which may
   * happen within a layer, the caller must truncate or close the batch's sequences, because some of
   * their positions were not computed.
   *
   * @param cancelled returns true to cancel; called several times per layer
   * @throws GgufException if the file was changed since it was opened
   * @throws CancellationException if cancelled; no work is in flight then
   */
  public void forward(Batch batch, TokenSlots tokens, int slot, BooleanSupplier cancelled) {
    Batch last = layers(batch, tokens, slot, cancelled);
    if (last.wanted() > 0) {
      backend.logits(last, streamOf(last), weights.outputNorm(), weights.output(), logits);
      tap(Tap.LOGITS, 0, logits);
    }
  }

  /** Computes all layers, but only the logits of the candidate tokens. */
  public void forward(
      Batch batch,
      TokenSlots tokens,
      int slot,
      CandidateLogits candidates,
      BooleanSupplier cancelled) {
    Batch last = layers(batch, tokens, slot, cancelled);
    backend.logits(
        last, streamOf(last), weights.outputNorm(), candidates.rows(), candidates.logits());
  }

  private Batch layers(Batch batch, TokenSlots tokens, int slot, BooleanSupplier cancelled) {
    file.requireUnchanged();
    backend.counters().add(Counter.PASSES, 1);
    backend.counters().add(Counter.ROWS, batch.rows());

    backend.embed(batch, tokens, slot, weights.embedding(), x);
    tap(Tap.EMBEDDING, 0, x);

    Batch rows = batch;
    for (int layer = 0; layer < config.layers(); layer++) {
      Qwen3Weights.Layer w = weights.layers().get(layer);

      backend.normProject(batch, x, w.attentionNorm(), w.q(), w.k(), w.v(), qkv);
      tap(Tap.QUERIES, layer, qkv.q());
      tap(Tap.KEYS, layer, qkv.k());
      tap(Tap.VALUES, layer, qkv.v());

      backend.rotateAndCache(batch, qkv, w.qNorm(), w.kNorm(), rope, layer);
      tap(Tap.ROTATED_QUERIES, layer, qkv.q());

      if (layer == config.layers() - 1
          && batch.wanted() < batch.rows()
          && taps == TapListener.NONE) {
        if (batch.wanted() == 0) {
          break; // only keys and values are needed
        }
        // Only the wanted rows are still needed. They get buffers of their own.
        wanted.narrow(batch);
        backend.keepWanted(batch, x, wantedX);
        backend.keepWanted(batch, qkv.q(), wantedQ);
        rows = wanted;
      }
      Activations stream = streamOf(rows);
      backend.attend(rows, rows == batch ? qkv.q() : wantedQ, layer, attended);
      tap(Tap.ATTENDED, layer, attended);

      backend.addProduct(rows, attended, w.attentionOutput(), stream);
      tap(Tap.ATTENTION_OUTPUT, layer, stream);
      endIf(cancelled);

      backend.normGateUp(rows, stream, w.feedForwardNorm(), w.gate(), w.up(), gated);
      tap(Tap.GATED, layer, gated);
      endIf(cancelled);

      backend.addProduct(rows, gated, w.down(), stream);
      tap(Tap.LAYER_OUTPUT, layer, stream);
      endIf(cancelled);
      if (batch.rows() >= WIDE && cancelled != NEVER) {
        // Submitted work cannot be cancelled, so not all layers are submitted at once.
        backend.submit();
      }
    }
    return rows;
  }

  private Activations streamOf(Batch rows) {
    return rows == wanted ? wantedX : x;
  }

  /** Prepares the weights and the memory to compute the logits of only the given tokens. */
  public CandidateLogits candidates(int... ids) {
    Tensor output = weights.outputTensor();
    long bytes = output.rowBytes();
    // The garbage collector frees this memory; backends free only their own memory.
    MemorySegment data = Arena.ofAuto().allocate(bytes * ids.length, 64);
    for (int i = 0; i < ids.length; i++) {
      MemorySegment.copy(output.data(), bytes * ids[i], data, bytes * i, bytes);
    }
    List<Long> shape = List.of(output.columns(), (long) ids.length);
    Matrix rows = backend.matrix(new Tensor("candidates", output.type(), shape, data));
    return new CandidateLogits(rows, backend.activations(logits.rows(), ids.length));
  }

  /**
   * Encodes one pass of each kind that answers need: a prompt, a few rows whose logits are all
   * wanted (as when answers are generated in parallel), and a single token. The backend thus finds
   * the kernels that it must compile.
   */
  public void rehearse(PassLimits limits) {
    pass(Math.min(limits.rows(), PROMPT_ROWS), 1);
    pass(Math.min(limits.rows(), FEW_ROWS), Math.min(limits.wanted(), FEW_ROWS));
    pass(1, 1);
  }

  private void pass(int rows, int wantedRows) {
    TokenSlots tokens = backend.tokens(1, rows);
    Batch batch = new Batch(rows, wantedRows);
    try (KvCache cache = backend.cache(cacheShape)) {
      batch.add(cache, Math.min(rows, cacheShape.limit()), wantedRows);
      forward(batch, tokens, 0, NEVER);
      backend.argmax(batch, logits, tokens, 0);
      backend.submit().await();
    }
  }

  public GgufException notNumbers() {
    return file.error("the model's results are not numbers: the file is damaged; fetch it again");
  }

  private void endIf(BooleanSupplier cancelled) {
    if (cancelled.getAsBoolean()) {
      backend.submit().await();
      throw new CancellationException();
    }
  }

  private void tap(Tap tap, int layer, Activations values) {
    if (taps != TapListener.NONE) {
      backend.submit().await();
      taps.at(tap, layer, values);
    }
  }

  /**
   * Sets the listener that receives the activations of all later passes. With a listener, the last
   * layer computes all rows, not just the rows whose logits are needed.
   */
  public void observe(TapListener newTaps) {
    taps = newTaps;
  }

  public Qwen3Config config() {
    return config;
  }

  public Backend backend() {
    return backend;
  }

  public int vocabulary() {
    return weights.embedding().rows();
  }

  public KvShape cacheShape() {
    return cacheShape;
  }

  public Activations logits() {
    return logits;
  }

  /**
   * Candidates for the next token of an answer. The logits of other tokens, over a hundred
   * thousand, are not computed.
   *
   * @param rows copy of the candidates' rows of the output matrix
   * @param logits logits of the last pass: a row per batch row whose logits are needed, a column
   *     per candidate
   */
  public record CandidateLogits(Matrix rows, Activations logits) {}

  /**
   * Receives the activations of a pass, for tests and debugging. The listener can read them until
   * the call returns.
   */
  @FunctionalInterface
  public interface TapListener {
    TapListener NONE = (tap, layer, values) -> {};

    enum Tap {
      /** The embeddings of the tokens, which are reported as part of layer 0. */
      EMBEDDING,
      QUERIES,
      KEYS,
      VALUES,
      /** Queries after their norm and rotation. */
      ROTATED_QUERIES,
      ATTENDED,
      /** The residual stream after attention. */
      ATTENTION_OUTPUT,
      /** The gated values, silu(gate) ⊙ up. */
      GATED,
      /** The residual stream after the layer. */
      LAYER_OUTPUT,
      /** The logits of all tokens of the vocabulary, reported for layer 0. */
      LOGITS
    }

    void at(Tap tap, int layer, Activations values);
  }

  /**
   * Limits that determine the sizes of a model's buffers.
   *
   * @param context largest number of positions of a sequence; the model's own limit applies, too
   * @param rows largest number of tokens of one pass
   * @param wanted largest number of rows of one pass whose logits are computed
   */
  public record PassLimits(int context, int rows, int wanted) {
    public PassLimits {
      if (context < 1 || rows < 1 || wanted < 1 || wanted > rows) {
        throw new IllegalArgumentException(
            "context %d, rows %d, wanted %d".formatted(context, rows, wanted));
      }
    }
  }
}
