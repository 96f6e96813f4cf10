package dev.helixbg.llm.model;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.tensor.PackedType;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds a model's tensors in its file and checks each one. Kernels rely on the shapes and do not
 * check them again.
 */
final class Qwen3Tensors {
  private static final String OUTPUT = "output.weight";
  private static final int MAX_VOCABULARY = 1 << 20;

  private final GgufFile file;
  private final Map<String, Tensor> tensors;
  private final Qwen3Config config;
  private final Function<Tensor, Matrix> backend;
  private final boolean unpacks;

  /** Unpacked tensors by name. They replace tensors of types that no kernel reads. */
  private final Map<String, Tensor> unpacked = new HashMap<>();

  private final Set<String> used = new HashSet<>();

  /** Prefix of the names of the current layer's tensors. */
  private String prefix = "";

  /**
   * @param backend function that makes a matrix from a tensor
   * @param unpacks whether tensors of a {@link PackedType} are unpacked; if false, only shapes are
   *     checked. The memory of unpacked tensors is freed together with the file.
   */
  Qwen3Tensors(
      GgufFile file, Qwen3Config config, Function<Tensor, Matrix> backend, boolean unpacks) {
    this.file = file;
    this.tensors = file.tensors();
    this.config = config;
    this.backend = backend;
    this.unpacks = unpacks;
  }

  /** Returns the weights; throws if a tensor is missing, superfluous or of another shape. */
  Qwen3Weights weights() {
    Tensor table = required("token_embd.weight");
    if (table.rows() > MAX_VOCABULARY) {
      throw error(table.name(), "a vocabulary of " + table.rows() + " tokens is too large");
    }
    int vocabulary = (int) table.rows();
    Matrix embedding = matrix("token_embd", vocabulary, config.hidden());
    List<Qwen3Weights.Layer> layers = new ArrayList<>();
    for (int i = 0; i < config.layers(); i++) {
      prefix = "blk." + i + ".";
      layers.add(layer());
    }
    prefix = "";
    Norm outputNorm = norm("output_norm", config.hidden());
    Tensor outputTensor = tensors.getOrDefault(OUTPUT, table);
    Matrix output =
        outputTensor == table ? embedding : matrix("output", vocabulary, config.hidden());
    refuseUnused();
    return new Qwen3Weights(
        embedding, List.copyOf(layers), outputNorm, output, ready(outputTensor));
  }

  private Qwen3Weights.Layer layer() {
    return new Qwen3Weights.Layer(
        norm("attn_norm", config.hidden()),
        matrix("attn_q", config.queryWidth(), config.hidden()),
        matrix("attn_k", config.kvWidth(), config.hidden()),
        matrix("attn_v", config.kvWidth(), config.hidden()),
        norm("attn_q_norm", config.headSize()),
        norm("attn_k_norm", config.headSize()),
        matrix("attn_output", config.hidden(), config.queryWidth()),
        norm("ffn_norm", config.hidden()),
        matrix("ffn_gate", config.feedForward(), config.hidden()),
        matrix("ffn_up", config.feedForward(), config.hidden()),
        matrix("ffn_down", config.hidden(), config.feedForward()));
  }

  private Matrix matrix(String name, int rows, int columns) {
    Tensor tensor = required(prefix + name + ".weight");
    if (!tensor.shape().equals(List.of((long) columns, (long) rows))) {
      throw error(
          tensor.name(), "its shape is %s, not [%d, %d]".formatted(tensor.shape(), columns, rows));
    }
    return backend.apply(ready(tensor));
  }

  private Tensor ready(Tensor tensor) {
    return unpacks && tensor.stored() instanceof PackedType packed
        ? unpacked.computeIfAbsent(tensor.name(), name -> unpacked(tensor, packed))
        : tensor;
  }

  private Tensor unpacked(Tensor tensor, PackedType packed) {
    MemorySegment weights =
        HostMemory.allocate(file.mapped().arena(), tensor.rows() * tensor.rowBytes());
    packed.unpack(tensor.data(), weights);
    return new Tensor(tensor.name(), tensor.type(), tensor.shape(), weights.asReadOnly());
  }

  private Norm norm(String name, int size) {
    Tensor tensor = required(prefix + name + ".weight");
    if (!tensor.shape().equals(List.of((long) size)) || tensor.type() != TensorType.F32) {
      throw error(
          tensor.name(),
          "the tensor is %s %s, not F32 [%d]".formatted(tensor.type(), tensor.shape(), size));
    }
    return new Norm(backend.apply(tensor), config.epsilon());
  }

  private Tensor required(String name) {
    used.add(name);
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw error(name, "the tensor is missing");
    }
    return tensor;
  }

  /** Refuses superfluous tensors, because ignoring a bias, for example, makes answers worse. */
  private void refuseUnused() {
    for (String name : tensors.keySet()) {
      if (!used.contains(name)) {
        throw error(
            name, "a Qwen3 model of %d layers has no such tensor".formatted(config.layers()));
      }
    }
  }

  private GgufException error(String tensor, String what) {
    return new GgufException(file.path().toString(), what, GgufException.NO_OFFSET, tensor);
  }
}
