package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.util.Collection;
import java.util.List;

/**
 * Makes a backend ready for a model; otherwise the first tokens would pay for it. On the CPU a tiny
 * model of the same element types, all weights zero, runs until its kernels are compiled; for a GPU
 * the model's own passes are rehearsed.
 */
public final class ModelWarmUp {
  /**
   * Passes that are run. The JVM's options have the CPU's kernels compiled within a few calls.
   *
   * @param rows of each pass
   * @param times that it is run
   */
  public record Passes(int rows, int times) {
    /** Rows of a prompt: whole tiles and the small rest of one, in every kind of tile. */
    public static final Passes PROMPT = new Passes(72, 6);

    /** Single tokens: what an answer needs. */
    public static final Passes ANSWER = new Passes(1, 8);
  }

  /** A whole block of every type. */
  private static final int WIDTH = 256;

  /** Most rows of a matrix; until its kernel is compiled, each row takes milliseconds. */
  private static final int MOST_ROWS = 16;

  /** Greatest width of all heads: several times that of the largest models. */
  private static final int MOST_WIDTH = 1 << 15;

  private static final int VOCABULARY = MOST_ROWS;

  /** More than what is computed one by one, fewer than fill a tile. */
  private static final int FEW_ROWS = 8;

  private ModelWarmUp() {}

  /**
   * Runs passes.
   *
   * @param config of the model to come: the size of a head is kept
   * @param types of its matrices
   */
  public static void run(
      Backend backend, Qwen3Config config, Collection<TensorType> types, Passes passes) {
    if (headsOf(config) * config.headSize() > MOST_WIDTH) {
      return; // no model that there is; its first tokens wait, but no memory goes into it
    }
    try (Arena arena = Arena.ofShared()) {
      Qwen3 model = model(backend, arena, config, List.copyOf(types), passes.rows);
      for (int i = 0; i < passes.times; i++) {
        // All wanted: else the last layer would compute but one row.
        pass(model, passes.rows, passes.rows);
      }
    }
  }

  /**
   * Encodes the passes that answers need: of a prompt, of a few rows whose logits are all wanted,
   * as of answers that grow together, and of a token.
   */
  public static void rehearse(Qwen3 model, PassLimits limits) {
    pass(model, Math.min(limits.rows(), Passes.PROMPT.rows), 1);
    pass(model, Math.min(limits.rows(), FEW_ROWS), Math.min(limits.wanted(), FEW_ROWS));
    pass(model, 1, 1);
  }

  private static void pass(Qwen3 model, int rows, int wanted) {
    Backend backend = model.backend();
    TokenSlots tokens = backend.tokens(1, rows);
    Batch batch = new Batch(rows, wanted);
    try (KvCache cache = backend.cache(model.cacheShape())) {
      batch.add(cache, Math.min(rows, model.cacheShape().limit()), wanted);
      model.forward(batch, tokens, 0);
      backend.argmax(batch, model.logits(), tokens, 0);
      backend.submit().await();
    }
  }

  private static Qwen3 model(
      Backend backend, Arena arena, Qwen3Config like, List<TensorType> types, int rows) {
    Qwen3Config config =
        new Qwen3Config(
            rows,
            types.size(),
            WIDTH,
            WIDTH,
            headsOf(like),
            headsOf(like) / (like.heads() / like.kvHeads()),
            like.headSize(),
            like.ropeBase(),
            RopeScaling.NONE,
            like.epsilon());
    List<Zeros> zeros =
        types.stream().map(type -> new Zeros(backend, arena, type, config.epsilon())).toList();
    Matrix table = zeros.getFirst().matrix("token_embd", VOCABULARY, WIDTH);
    Tensor output = zeros.getLast().tensor(types.getLast(), VOCABULARY, WIDTH);
    Qwen3Weights weights =
        new Qwen3Weights(
            table,
            zeros.stream().map(source -> Qwen3Weights.Layer.of(config, source)).toList(),
            zeros.getFirst().norm("output_norm", WIDTH),
            backend.matrix(output),
            output);
    return new Qwen3(config, weights, backend, new PassLimits(rows, rows, rows), null);
  }

  /** Whole groups of heads that share a key head, whole blocks wide in all. */
  private static int headsOf(Qwen3Config like) {
    int group = like.heads() / like.kvHeads();
    int heads = group;
    while (heads * like.headSize() % WIDTH != 0) {
      heads += group;
    }
    return heads;
  }

  /** Weights that are all zero, matrices of one type. */
  private record Zeros(Backend backend, Arena arena, TensorType type, float epsilon)
      implements Qwen3Weights.Source {

    @Override
    public Matrix matrix(String name, int rows, int columns) {
      return backend.matrix(tensor(type, Math.min(rows, MOST_ROWS), columns));
    }

    @Override
    public Norm norm(String name, int size) {
      return new Norm(backend.matrix(tensor(TensorType.F32, 1, size)), epsilon);
    }

    Tensor tensor(TensorType type, int rows, int columns) {
      long bytes = type.bytes((long) rows * columns);
      List<Long> shape = List.of((long) columns, (long) rows);
      return new Tensor("warm-up", type, shape, arena.allocate(bytes, 64));
    }
  }
}
