package dev.helixbg.llm.model;

import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.gguf.GgufWriter.RowSource;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

final class TinyModel {
  private record Weights(TensorType type, long columns, long rows) {}

  private final Map<String, Object> metadata = new LinkedHashMap<>();
  private final Map<String, Weights> tensors = new LinkedHashMap<>();

  TinyModel() {
    with("general.architecture", "qwen3");
    with("qwen3.context_length", 64);
    with("qwen3.embedding_length", 32);
    with("qwen3.block_count", 1);
    with("qwen3.feed_forward_length", 64);
    with("qwen3.attention.head_count", 3);
    with("qwen3.attention.head_count_kv", 1);
    with("qwen3.attention.key_length", 16);
    with("qwen3.rope.freq_base", 10_000f);
    with("qwen3.attention.layer_norm_rms_epsilon", 1e-6f);
    tensor("token_embd.weight", TensorType.F32, 32, 40);
    layer(0);
    tensor("output_norm.weight", TensorType.F32, 32, 0);
  }

  TinyModel layer(int number) {
    String prefix = "blk." + number + ".";
    tensor(prefix + "attn_norm.weight", TensorType.F32, 32, 0);
    tensor(prefix + "attn_q.weight", TensorType.F32, 32, 48);
    tensor(prefix + "attn_k.weight", TensorType.F32, 32, 16);
    tensor(prefix + "attn_v.weight", TensorType.F32, 32, 16);
    tensor(prefix + "attn_q_norm.weight", TensorType.F32, 16, 0);
    tensor(prefix + "attn_k_norm.weight", TensorType.F32, 16, 0);
    tensor(prefix + "attn_output.weight", TensorType.F32, 48, 32);
    tensor(prefix + "ffn_norm.weight", TensorType.F32, 32, 0);
    tensor(prefix + "ffn_gate.weight", TensorType.F32, 32, 64);
    tensor(prefix + "ffn_up.weight", TensorType.F32, 32, 64);
    tensor(prefix + "ffn_down.weight", TensorType.F32, 64, 32);
    return this;
  }

  /** Sets a key to a String, Integer, Float or int[], or removes it. */
  TinyModel with(String key, Object value) {
    if (value == null) {
      metadata.remove(key);
    } else {
      metadata.put(key, value);
    }
    return this;
  }

  TinyModel tensor(String name, TensorType type, long columns, long rows) {
    tensors.put(name, new Weights(type, columns, rows));
    return this;
  }

  TinyModel without(String tensor) {
    tensors.remove(tensor);
    return this;
  }

  Path write(Path folder) throws IOException {
    GgufWriter writer = new GgufWriter();
    metadata.forEach(
        (key, value) -> {
          switch (value) {
            case String text -> writer.text(key, text);
            case Integer number -> writer.uint32(key, number);
            case Float number -> writer.float32(key, number);
            case int[] numbers -> writer.ints(key, numbers);
            default -> throw new IllegalArgumentException(key);
          }
        });
    Random random = new Random(3);
    tensors.forEach(
        (name, w) -> {
          RowSource source = row -> fill(row, random);
          if (w.rows == 0) {
            writer.vector(name, w.type, w.columns, source);
          } else {
            writer.matrix(name, w.type, w.columns, w.rows, source);
          }
        });
    Path file = folder.resolve("tiny.gguf");
    writer.write(file);
    return file;
  }

  private static void fill(byte[] row, Random random) {
    ByteBuffer floats = ByteBuffer.wrap(row).order(ByteOrder.LITTLE_ENDIAN);
    while (floats.remaining() >= Float.BYTES) {
      floats.putFloat((float) (random.nextGaussian() / 4));
    }
  }
}
