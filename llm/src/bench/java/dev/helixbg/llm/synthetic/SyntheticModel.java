package dev.helixbg.llm.synthetic;

import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.gguf.GgufWriter.RowSource;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Full-size Qwen3-0.6B files of random weights, with the mixes of tensor types that quantising
 * tools produce. Speed does not depend on the values of the weights.
 */
public enum SyntheticModel {
  /** Q4_K, but Q6_K for the embedding and for half of the layers' value and down matrices. */
  QWEN3_06B_Q4_K_M("qwen3-0.6b-q4_k_m", TensorType.Q4_K, 15),
  /** Q8_0 throughout. */
  QWEN3_06B_Q8_0("qwen3-0.6b-q8_0", TensorType.Q8_0, 7),
  /** Q6_K throughout. */
  QWEN3_06B_Q6_K("qwen3-0.6b-q6_k", TensorType.Q6_K, 18);

  /** Version of this generator; part of the file name, so another version makes another file. */
  private static final int GENERATOR_VERSION = 2;

  private static final long SEED = 20_250_429;

  // Dimensions of Qwen3-0.6B.
  private static final int LAYERS = 28;
  private static final int HIDDEN = 1024;
  private static final int FEED_FORWARD = 3072;
  private static final int HEADS = 16;
  private static final int KV_HEADS = 8;
  private static final int HEAD_SIZE = 128;
  private static final int CONTEXT = 40_960;
  private static final float ROPE_BASE = 1e6f;
  private static final float EPSILON = 1e-6f;

  private final String title;
  private final TensorType type;
  private final int fileType;

  SyntheticModel(String title, TensorType type, int fileType) {
    this.title = title;
    this.type = type;
    this.fileType = fileType;
  }

  /** Returns the model's name on the command line. */
  public String title() {
    return title;
  }

  public static Optional<SyntheticModel> titled(String title) {
    return Arrays.stream(values()).filter(model -> model.title.equals(title)).findFirst();
  }

  /**
   * Returns the model's file; creates the file if it does not exist.
   *
   * @param cacheFolder folder for the file, which has several hundred MB
   * @throws IOException if the file cannot be written
   */
  public Path file(Path cacheFolder) throws IOException {
    Path file =
        cacheFolder.resolve("synthetic").resolve(title + "-v" + GENERATOR_VERSION + ".gguf");
    if (!Files.isRegularFile(file)) {
      write(file);
    }
    return file;
  }

  private void write(Path file) throws IOException {
    GgufWriter writer = new GgufWriter();
    describe(writer);
    SplittableRandom random = new SplittableRandom(SEED);
    matrix(writer, "token_embd", embeddingType(), HIDDEN, SyntheticVocabulary.SIZE, random);
    for (int layer = 0; layer < LAYERS; layer++) {
      layer(writer, "blk." + layer + ".", layer, random);
    }
    gain(writer, "output_norm", HIDDEN);
    writer.write(file);
  }

  private void describe(GgufWriter writer) {
    SyntheticVocabulary vocabulary = new SyntheticVocabulary();
    writer
        .text("general.architecture", "qwen3")
        .text("general.name", "synthetic " + title)
        .uint32("general.file_type", fileType)
        .uint32("general.quantization_version", 2)
        .uint32("qwen3.context_length", CONTEXT)
        .uint32("qwen3.embedding_length", HIDDEN)
        .uint32("qwen3.block_count", LAYERS)
        .uint32("qwen3.feed_forward_length", FEED_FORWARD)
        .uint32("qwen3.attention.head_count", HEADS)
        .uint32("qwen3.attention.head_count_kv", KV_HEADS)
        .uint32("qwen3.attention.key_length", HEAD_SIZE)
        .uint32("qwen3.attention.value_length", HEAD_SIZE)
        .float32("qwen3.rope.freq_base", ROPE_BASE)
        .float32("qwen3.attention.layer_norm_rms_epsilon", EPSILON)
        .text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "qwen2")
        .strings("tokenizer.ggml.tokens", vocabulary.tokens)
        .ints("tokenizer.ggml.token_type", vocabulary.kinds)
        .strings("tokenizer.ggml.merges", vocabulary.merges)
        .uint32("tokenizer.ggml.eos_token_id", SyntheticVocabulary.END_OF_TURN);
  }

  private void layer(GgufWriter writer, String prefix, int layer, SplittableRandom random) {
    int queries = HEADS * HEAD_SIZE;
    int keys = KV_HEADS * HEAD_SIZE;
    TensorType finer = isFiner(layer) ? embeddingType() : type;
    gain(writer, prefix + "attn_norm", HIDDEN);
    matrix(writer, prefix + "attn_q", type, HIDDEN, queries, random);
    matrix(writer, prefix + "attn_k", type, HIDDEN, keys, random);
    matrix(writer, prefix + "attn_v", finer, HIDDEN, keys, random);
    gain(writer, prefix + "attn_q_norm", HEAD_SIZE);
    gain(writer, prefix + "attn_k_norm", HEAD_SIZE);
    matrix(writer, prefix + "attn_output", type, queries, HIDDEN, random);
    gain(writer, prefix + "ffn_norm", HIDDEN);
    matrix(writer, prefix + "ffn_gate", type, HIDDEN, FEED_FORWARD, random);
    matrix(writer, prefix + "ffn_up", type, HIDDEN, FEED_FORWARD, random);
    matrix(writer, prefix + "ffn_down", finer, FEED_FORWARD, HIDDEN, random);
  }

  private TensorType embeddingType() {
    return type == TensorType.Q4_K ? TensorType.Q6_K : type;
  }

  /**
   * Returns whether the layer's value and down matrices have the finer type. As in llama.cpp's
   * Q4_K_M, these are the first and last eighth of the layers, and every third layer between them.
   */
  private static boolean isFiner(int layer) {
    int eighth = LAYERS / 8;
    return layer < eighth || layer >= 7 * LAYERS / 8 || (layer - eighth) % 3 == 2;
  }

  private static void matrix(
      GgufWriter writer,
      String name,
      TensorType type,
      int columns,
      int rows,
      SplittableRandom random) {
    writer.matrix(name + ".weight", type, columns, rows, rows(type, columns, random.split()));
  }

  /** Returns random weights whose products with a vector are about as large as its values. */
  static RowSource rows(TensorType type, int columns, SplittableRandom random) {
    float spread = (float) (1 / Math.sqrt(columns));
    return row -> RandomWeights.fill(type, MemorySegment.ofArray(row), 0, columns, spread, random);
  }

  /** Adds the gain of a normalisation; all its values are 1. */
  private static void gain(GgufWriter writer, String name, int size) {
    writer.vector(
        name + ".weight",
        TensorType.F32,
        size,
        row -> {
          for (int i = 0; i < row.length; i += Float.BYTES) {
            row[i + 2] = (byte) 0x80;
            row[i + 3] = 0x3F;
          }
        });
  }
}
