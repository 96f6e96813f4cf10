package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gguf.GgufMetadata;
import dev.helixbg.llm.model.Qwen3.PassLimits;

/**
 * The dimensions of a dense Qwen3 model, read from the model's file.
 *
 * @param contextLength number of positions that the model was trained for
 * @param hidden width of the residual stream
 * @param kvHeads number of key and value heads; a divisor of {@code heads}
 * @param headSize number of values per head. It is even, and can differ from {@code hidden /
 *     heads}.
 */
public record Qwen3Config(
    int contextLength,
    int layers,
    int hidden,
    int feedForward,
    int heads,
    int kvHeads,
    int headSize,
    double ropeBase,
    float epsilon) {
  private static final String ARCHITECTURE = "qwen3";

  // Limits far above those of real models, but low enough to prevent overflows and lack of memory.
  private static final int MAX_CONTEXT = 1 << 20;
  private static final int MAX_LAYERS = 512;
  private static final int MAX_WIDTH = 1 << 17;
  private static final int MAX_HEADS = 512;
  static final int MAX_HEAD_SIZE = 1024; // at most TileProduct.DEPTH, a row of a panel

  /**
   * Reads the keys {@code qwen3.*}.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the model has another architecture, or a key is
   *     missing or invalid
   */
  public static Qwen3Config from(GgufMetadata metadata) {
    String architecture = metadata.text("general.architecture");
    if (!architecture.equals(ARCHITECTURE)) {
      throw metadata.error(
          "general.architecture",
          "the architecture is \"%s\"; only \"%s\" is supported"
              .formatted(architecture, ARCHITECTURE));
    }
    refusePooling(metadata);
    refuseRopeScaling(metadata);
    int heads = metadata.whole(key("attention.head_count"), 1, MAX_HEADS);
    int contextLength = metadata.whole(key("context_length"), 1, Integer.MAX_VALUE);
    return new Qwen3Config(
        Math.min(contextLength, MAX_CONTEXT), // sessions are far shorter
        metadata.whole(key("block_count"), 1, MAX_LAYERS),
        metadata.whole(key("embedding_length"), 1, MAX_WIDTH),
        metadata.whole(key("feed_forward_length"), 1, MAX_WIDTH),
        heads,
        kvHeads(metadata, heads),
        headSize(metadata),
        metadata.positive(key("rope.freq_base")),
        (float) metadata.positive(key("attention.layer_norm_rms_epsilon")));
  }

  private static String key(String name) {
    return ARCHITECTURE + "." + name;
  }

  /** Refuses Qwen3-Embedding and Qwen3-Reranker, which have this architecture but cannot chat. */
  private static void refusePooling(GgufMetadata metadata) {
    String key = key("pooling_type");
    boolean pools = metadata.values().get(key) instanceof Long pooling && pooling != 0;
    String name = "general.name"; // early files have no pooling type
    boolean isNamed =
        String.valueOf(metadata.values().get(name)).matches("(?i)qwen3.(embedding|reranker)\\b.*");
    if (pools || isNamed) {
      throw metadata.error(
          pools ? key : name, "this is an embedding model; use a Qwen3 chat model");
    }
  }

  /**
   * Refuses files that scale positions for very long texts, because this scaling changes the
   * results for short texts, too. A factor of 1 scales nothing.
   */
  private static void refuseRopeScaling(GgufMetadata metadata) {
    String type = key("rope.scaling.type");
    boolean isNone = metadata.has(type) && metadata.text(type).equals("none");
    for (String key : metadata.values().keySet()) {
      boolean isOne = metadata.values().get(key) instanceof Number n && n.doubleValue() == 1;
      if (key.startsWith(key("rope.scal")) && !isNone && !isOne) {
        throw metadata.error(
            key,
            "scaled positions are not supported: use the standard version of this model, not"
                + " the 128K version");
      }
    }
  }

  private static int kvHeads(GgufMetadata metadata, int heads) {
    String key = key("attention.head_count_kv");
    int kvHeads = metadata.whole(key, 1, heads);
    if (heads % kvHeads != 0) {
      throw metadata.error(
          key, "%d query heads cannot share %d key heads evenly".formatted(heads, kvHeads));
    }
    return kvHeads;
  }

  private static int headSize(GgufMetadata metadata) {
    int size = metadata.whole(key("attention.key_length"), 2, MAX_HEAD_SIZE);
    if (size % 2 != 0) {
      throw metadata.error(key("attention.key_length"), "the head size %d is odd".formatted(size));
    }
    for (String name : new String[] {"attention.value_length", "rope.dimension_count"}) {
      if (metadata.has(key(name)) && metadata.whole(key(name), 1, MAX_HEAD_SIZE) != size) {
        throw metadata.error(
            key(name), "the value must be equal to the key length, %d".formatted(size));
      }
    }
    return size;
  }

  /** Returns the shape of a sequence's cache, for at most {@link #contextLength} positions. */
  public KvShape cacheShape(PassLimits limits) {
    int context = Math.min(limits.context(), contextLength);
    return new KvShape(layers, kvHeads, headSize, context);
  }

  public int queryWidth() {
    return heads * headSize;
  }

  public int kvWidth() {
    return kvHeads * headSize;
  }
}
