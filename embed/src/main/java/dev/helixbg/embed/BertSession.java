package dev.helixbg.embed;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A session of ONNX Runtime with a BERT graph. The inputs are token ids, the mask that marks
 * padding and, if the graph has such an input, token types. A {@link Pooling} computes one vector
 * from the token states of a text.
 *
 * <p>Each sequence ends with the separator token, which occurs in no text. In a pair of texts, a
 * token has type 0 up to the first separator, and type 1 after it. If a token occurs in both texts,
 * 2 is added to its type. All tokens of a single text have type 0.
 */
record BertSession(OrtSession session, Pooling pooling, Map<String, OnnxJavaType> types)
    implements AutoCloseable {
  static final String IDS = "input_ids";
  static final String MASK = "attention_mask";
  static final String TYPES = "token_type_ids";

  /**
   * Name of the output: floats [rows, columns, 384], the states of all tokens; or floats [rows, 1,
   * 384], only the first token's state.
   */
  private static final String TOKEN_STATES = "last_hidden_state";

  private static final Set<String> KNOWN = Set.of(IDS, MASK, TYPES);

  interface Provider {
    void choose(OrtSession.SessionOptions options) throws OrtException;
  }

  /** Loads a graph; throws if it lacks the inputs or the output of a BERT model. */
  static BertSession open(Path graph, Pooling pooling, Provider provider) throws OrtException {
    NativeLibraries.loadOnnxRuntime();
    try (OnnxCall call = OnnxCall.begin();
        OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setIntraOpNumThreads(1);
      provider.choose(options);
      OrtSession session = OrtEnvironment.getEnvironment().createSession(graph.toString(), options);
      try {
        Map<String, OnnxJavaType> types = inputs(session, graph);
        checkOutput(session, graph);
        return new BertSession(session, pooling, types);
      } catch (OrtException | RuntimeException e) {
        session.close();
        throw e;
      }
    }
  }

  private static Map<String, OnnxJavaType> inputs(OrtSession session, Path graph)
      throws OrtException {
    Map<String, OnnxJavaType> types = new TreeMap<>();
    for (NodeInfo input : session.getInputInfo().values()) {
      if (input.getInfo() instanceof TensorInfo tensor
          && KNOWN.contains(input.getName())
          && tensor.getShape().length == 2
          && (tensor.type == OnnxJavaType.INT64 || tensor.type == OnnxJavaType.INT32)) {
        types.put(input.getName(), tensor.type);
      } else {
        throw unsuitable(graph, "it needs an input " + input.getName() + " " + input.getInfo());
      }
    }
    if (!types.containsKey(IDS) || !types.containsKey(MASK)) {
      throw unsuitable(graph, "its inputs are " + types.keySet());
    }
    return types;
  }

  private static void checkOutput(OrtSession session, Path graph) throws OrtException {
    NodeInfo output = session.getOutputInfo().get(TOKEN_STATES);
    if (output == null
        || !(output.getInfo() instanceof TensorInfo tensor)
        || tensor.type != OnnxJavaType.FLOAT
        || tensor.getShape().length != 3
        || tensor.getShape()[2] != MiniLm.DIMENSION) {
      throw unsuitable(
          graph, "it has no output " + TOKEN_STATES + " of float [batch, sequence, 384]");
    }
  }

  static int longest(int[][] ids) {
    return Arrays.stream(ids).mapToInt(text -> text.length).max().orElse(0);
  }

  /**
   * Returns one vector per text. The texts run as a batch of {@code rows} rows of {@code columns}
   * tokens; padding fills the rest of the batch.
   */
  float[][] embed(int[][] ids, int rows, int columns) throws OrtException {
    Map<String, OnnxTensor> tensors = new HashMap<>();
    OnnxCall call = OnnxCall.begin();
    try {
      fill(tensors, ids, rows, columns);
      try (OrtSession.Result result = session.run(tensors, Set.of(TOKEN_STATES))) {
        float[] states = ((OnnxTensor) result.get(0)).getFloatBuffer().array();
        // 1 if the graph computes only the first token's state
        int stride = states.length / rows / MiniLm.DIMENSION;
        float[][] vectors = new float[ids.length][];
        for (int row = 0; row < ids.length; row++) {
          vectors[row] = pooling.pool(states, row * stride, ids[row].length);
        }
        return vectors;
      }
    } finally {
      tensors.values().forEach(OnnxTensor::close);
      call.close();
    }
  }

  /** Adds a tensor for each input. The caller closes the tensors, even after a failure. */
  private void fill(Map<String, OnnxTensor> tensors, int[][] ids, int rows, int columns)
      throws OrtException {
    Map<String, int[]> values = new HashMap<>();
    types.keySet().forEach(input -> values.put(input, new int[rows * columns]));
    for (int row = 0; row < rows; row++) {
      int at = row * columns;
      if (row < ids.length) {
        int length = ids[row].length;
        System.arraycopy(ids[row], 0, values.get(IDS), at, length);
        Arrays.fill(values.get(MASK), at, at + length, 1);
        if (types.containsKey(TYPES)) {
          System.arraycopy(tokenTypes(ids[row]), 0, values.get(TYPES), at, length);
        }
      } else {
        values.get(MASK)[at] = 1; // a row of only padding would cause a division by zero
      }
    }
    for (Map.Entry<String, OnnxJavaType> input : types.entrySet()) {
      String name = input.getKey();
      tensors.put(name, tensor(values.get(name), input.getValue(), rows, columns));
    }
  }

  static int[] tokenTypes(int[] ids) {
    int[] types = new int[ids.length];
    int last = ids.length - 1;
    int middle = 0;
    while (middle < last && ids[middle] != ids[last]) {
      middle++;
    }
    if (middle == last) {
      return types; // one text
    }
    Arrays.fill(types, middle + 1, ids.length, 1);
    BitSet first = set(ids, 1, middle);
    BitSet second = set(ids, middle + 1, last);
    for (int i = 1; i < last; i++) {
      boolean isShared = i < middle ? second.get(ids[i]) : i > middle && first.get(ids[i]);
      types[i] += isShared ? 2 : 0;
    }
    return types;
  }

  private static BitSet set(int[] ids, int from, int to) {
    BitSet set = new BitSet();
    for (int i = from; i < to; i++) {
      set.set(ids[i]);
    }
    return set;
  }

  private static OnnxTensor tensor(int[] values, OnnxJavaType type, int rows, int columns)
      throws OrtException {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    long[] shape = {rows, columns};
    if (type == OnnxJavaType.INT32) {
      return OnnxTensor.createTensor(environment, IntBuffer.wrap(values), shape);
    }
    long[] wide = Arrays.stream(values).asLongStream().toArray();
    return OnnxTensor.createTensor(environment, LongBuffer.wrap(wide), shape);
  }

  @Override
  public void close() {
    try (OnnxCall call = OnnxCall.begin()) {
      session.close();
    } catch (OrtException e) {
      throw new EmbeddingException("cannot close the embedding model: " + e.getMessage(), e);
    }
  }

  private static EmbeddingException unsuitable(Path graph, String found) {
    return new EmbeddingException(
        "the model %s is not an all-MiniLM-L6-v2 export: %s. Put the right model there, or remove the file to use the bundled model"
            .formatted(graph, found));
  }
}
