package dev.helixbg.llm.model;

import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.ATTENDED;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.ATTENTION_OUTPUT;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.EMBEDDING;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.GATED;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.KEYS;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.LAYER_OUTPUT;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.LOGITS;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.QUERIES;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.ROTATED_QUERIES;
import static dev.helixbg.llm.model.Qwen3.TapListener.Tap.VALUES;

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
 * A Qwen3 model on a backend: {@link #forward} is the block diagram.
 *
 * <p>Source of the architecture: "Qwen3 Technical Report" (arXiv 2505.09388) and the tensor names
 * of the GGUF specification.
 */
public final class Qwen3 {
  /** A pass of so many rows may take a device seconds. */
  private static final int WIDE = 128;

  /** Rows of a rehearsed prompt: whole tiles and the small rest of one, in every kind of tile. */
  private static final int PROMPT_ROWS = 72;

  /** More than what is computed one by one, fewer than fill a tile. */
  private static final int FEW_ROWS = 8;

  private static final BooleanSupplier NEVER = () -> false;

  private final Qwen3Config config;
  private final Qwen3Weights weights;
  private final Backend backend;
  private final MappedFile file;
  private final Rope rope;
  private final KvShape cacheShape;

  // The state of a pass, a row per token of the batch.
  private final Activations x; // the residual stream: hidden
  private final Qkv qkv; // queryWidth, kvWidth, kvWidth
  private final Activations wantedX; // hidden, a row per wanted row
  private final Activations wantedQ; // queryWidth, a row per wanted row
  private final Activations attended; // queryWidth
  private final Activations gated; // feedForward
  private final Activations logits; // vocabulary, a row per wanted row

  /** The wanted rows of the pass. */
  private final Batch wanted;

  private TapListener taps = TapListener.NONE;

  /**
   * The model in a file, whose weights stay there.
   *
   * @param file must stay open as long as the model is used
   * @param limits sizes of its buffers
   * @throws GgufException if the file does not hold a whole Qwen3 model
   */
  public static Qwen3 of(GgufFile file, Backend backend, PassLimits limits) {
    Qwen3Config config = Qwen3Config.from(file.metadata());
    Qwen3Weights weights = Qwen3Tensors.weights(file, config, backend::matrix, true);
    return new Qwen3(config, weights, backend, limits, file.mapped());
  }

  /**
   * Checks that a file has all tensors of a Qwen3 model, and no other.
   *
   * @throws GgufException if it has not
   */
  public static void requireTensors(GgufFile file) {
    Qwen3Tensors.weights(file, Qwen3Config.from(file.metadata()), tensor -> null, false);
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
    rope = backend.rope(config.ropeAngles(), cacheShape.limit());
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
   * Runs the batch, whose ids are in a slot of {@code tokens}, through all layers, and leaves the
   * logits of the wanted rows in {@link #logits()}.
   *
   * @throws GgufException if the file was shortened since it was opened
   */
  public void forward(Batch batch, TokenSlots tokens, int slot) {
    forward(batch, tokens, slot, NEVER);
  }

  /**
   * The same; a pass may be called off within a layer. Its sequences then hold positions that were
   * not computed, and are to be truncated or closed.
   *
   * @param cancelled is asked several times a layer
   * @throws CancellationException if cancelled; nothing is under way then
   */
  public void forward(Batch batch, TokenSlots tokens, int slot, BooleanSupplier cancelled) {
    Batch last = layers(batch, tokens, slot, cancelled);
    if (last.wanted() > 0) {
      backend.logits(last, streamOf(last), weights.outputNorm(), weights.output(), logits);
      tap(LOGITS, 0, logits);
    }
  }

  /** The same, but computes the logits of a few tokens only and leaves them with these. */
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

  /** Returns what came out of the last layer: the batch, or its wanted rows. */
  private Batch layers(Batch batch, TokenSlots tokens, int slot, BooleanSupplier cancelled) {
    file.requireWhole();
    backend.counters().add(Counter.PASSES, 1);
    backend.counters().add(Counter.ROWS, batch.rows());

    backend.embed(batch, tokens, slot, weights.embedding(), x);
    tap(EMBEDDING, 0, x);

    Batch rows = batch;
    for (int layer = 0; layer < config.layers(); layer++) {
      Qwen3Weights.Layer w = weights.layers().get(layer);

      backend.normProject(batch, x, w.attentionNorm(), w.q(), w.k(), w.v(), qkv);
      tap(QUERIES, layer, qkv.q());
      tap(KEYS, layer, qkv.k());
      tap(VALUES, layer, qkv.v());

      backend.rotateAndCache(batch, qkv, w.qNorm(), w.kNorm(), rope, layer);
      tap(ROTATED_QUERIES, layer, qkv.q());

      if (layer == config.layers() - 1
          && batch.wanted() < batch.rows()
          && taps == TapListener.NONE) {
        if (batch.wanted() == 0) {
          break; // keys and values were all that was to be had
        }
        rows = keepWanted(batch);
      }
      Activations stream = streamOf(rows);
      backend.attend(rows, rows == batch ? qkv.q() : wantedQ, layer, attended);
      tap(ATTENDED, layer, attended);

      backend.addProduct(rows, attended, w.attentionOutput(), stream);
      tap(ATTENTION_OUTPUT, layer, stream);
      endIf(cancelled);

      backend.normGateUp(rows, stream, w.feedForwardNorm(), w.gate(), w.up(), gated);
      tap(GATED, layer, gated);
      endIf(cancelled);

      backend.addProduct(rows, gated, w.down(), stream);
      tap(LAYER_OUTPUT, layer, stream);
      endIf(cancelled);
      if (batch.rows() >= WIDE && cancelled != NEVER) {
        // Work given to a device cannot be called off, so it is not given all at once.
        backend.submit();
      }
    }
    return rows;
  }

  /** The last layer has written its keys and values: of its rows, only the wanted ones go on. */
  private Batch keepWanted(Batch batch) {
    wanted.narrow(batch);
    backend.keepWanted(batch, x, wantedX);
    backend.keepWanted(batch, qkv.q(), wantedQ);
    return wanted;
  }

  private Activations streamOf(Batch rows) {
    return rows == wanted ? wantedX : x;
  }

  /**
   * Makes ready to compute the logits of these tokens only.
   *
   * @param ids of the vocabulary
   */
  public CandidateLogits candidates(int... ids) {
    Activations few = backend.activations(logits.rows(), ids.length);
    return CandidateLogits.of(backend, weights.outputTensor(), ids, few);
  }

  /**
   * Encodes the passes that answers need, and runs them where they are not only rehearsed: of a
   * prompt, of a few rows whose logits are all wanted, as of answers that grow together, and of a
   * token.
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
      forward(batch, tokens, 0);
      backend.argmax(batch, logits, tokens, 0);
      backend.submit().await();
    }
  }

  /** Returns the error for logits that are not numbers, by which no token can be chosen. */
  public GgufException notNumbers() {
    return file.error(
        "what the model computes are no numbers: the file is damaged; fetch it again");
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
   * Shows the following passes to {@code taps}. Their last layer then computes all rows, not only
   * the wanted ones.
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

  /** Token ids are below this. */
  public int vocabulary() {
    return weights.embedding().rows();
  }

  /** Returns what the caches of this model's sequences hold; its limit is the context limit. */
  public KvShape cacheShape() {
    return cacheShape;
  }

  /** Returns the logits of the wanted rows of the last pass, one row each. */
  public Activations logits() {
    return logits;
  }

  /**
   * The few tokens that an answer can go on with: their rows of the output matrix, copied as they
   * are stored, and place for their logits. A vocabulary has a hundred thousand rows that are not
   * wanted.
   *
   * @param rows a row per candidate, hidden columns
   * @param logits of the wanted rows of the last pass, a column per candidate
   */
  public record CandidateLogits(Matrix rows, Activations logits) {

    static CandidateLogits of(Backend backend, Tensor output, int[] ids, Activations logits) {
      long bytes = output.rowBytes();
      // Lives as long as it is used; backends free nothing that they did not make.
      MemorySegment data = Arena.ofAuto().allocate(bytes * ids.length, 64);
      for (int i = 0; i < ids.length; i++) {
        MemorySegment.copy(output.data(), bytes * ids[i], data, bytes * i, bytes);
      }
      List<Long> shape = List.of(output.columns(), (long) ids.length);
      return new CandidateLogits(
          backend.matrix(new Tensor("candidates", output.type(), shape, data)), logits);
    }
  }

  /** Is shown the activations of a pass, step by step; for tests and for looking inside. */
  @FunctionalInterface
  public interface TapListener {
    /** Looks at nothing, and costs nothing. */
    TapListener NONE = (tap, layer, values) -> {};

    /** A place in the block diagram. */
    enum Tap {
      /** The embedded tokens; layer 0. */
      EMBEDDING,
      QUERIES,
      KEYS,
      VALUES,
      /** Queries after their norm and rotation. */
      ROTATED_QUERIES,
      /** Values that each head gathered. */
      ATTENDED,
      /** The residual stream after attention. */
      ATTENTION_OUTPUT,
      /** silu(gate) ⊙ up. */
      GATED,
      /** The residual stream after the layer. */
      LAYER_OUTPUT,
      /** Logits of the wanted rows; layer 0. */
      LOGITS
    }

    /** {@code values} may be read until the call returns. */
    void at(Tap tap, int layer, Activations values);
  }

  /**
   * How large a model's buffers are.
   *
   * @param context the most positions of a sequence; the model's own limit holds too
   * @param rows the most tokens of one pass
   * @param wanted the most rows of one pass whose logits are wanted
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
