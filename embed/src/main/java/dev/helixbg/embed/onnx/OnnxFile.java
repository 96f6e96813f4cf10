package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The weights of an exported MiniLM, mapped into memory, and the names of its inputs' variable
 * dimensions. Field numbers come from <a
 * href="https://github.com/onnx/onnx/blob/main/onnx/onnx.proto">onnx.proto</a>.
 */
public final class OnnxFile implements AutoCloseable {
  static final String TYPES = "embeddings.token_type_embeddings.weight";

  private static final int FLOAT = 1;
  private static final int WIDTH = 384;
  private static final int MAX_LAYERS = 48;

  /** Field numbers of the path ValueInfoProto.type.tensor_type.shape.dim.dim_param. */
  private static final int[] DIM_PARAM = {2, 1, 2, 1, 2};

  record Node(String operator, List<String> inputs, List<String> outputs) {}

  /** A weight; {@code data} is little-endian, or null if the weight has no field raw_data. */
  private record Tensor(List<Long> dims, int type, ByteBuffer data) {}

  /**
   * Change of a weight by training. Each value grows by its step times its column's scale. The
   * weight is a matrix [rows, columns], or a vector [columns] if there is one row.
   *
   * @param name name of the weight in PyTorch; an export keeps only the name of its bias
   * @param steps one step per value, row after row
   */
  public record Change(String name, int rows, float[] scales, byte[] steps) {
    public Change {
      if (rows < 1 || steps.length != (long) rows * scales.length) {
        throw new IllegalArgumentException(name + " does not have one step for each value");
      }
    }
  }

  private final Arena arena = Arena.ofShared();
  final List<Node> nodes = new ArrayList<>();
  private final Map<String, Tensor> weights = new HashMap<>();
  private final Set<String> symbolicDims = new LinkedHashSet<>();
  private Map<String, String> matrixOfBias;
  private int mostLayers = MAX_LAYERS;

  private OnnxFile() {}

  /** Maps a file. Throws OnnxFormatException if the file is not a well-formed model. */
  public static OnnxFile open(Path path) throws IOException {
    OnnxFile file = new OnnxFile();
    try (FileChannel channel = FileChannel.open(path)) {
      if (channel.size() > Integer.MAX_VALUE) {
        throw new OnnxFormatException("it is larger than 2 GiB");
      }
      file.readModel(
          channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), file.arena).asByteBuffer());
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Returns the names of the inputs' variable dimensions, in order of their first use. */
  public List<String> symbolicDims() {
    return List.copyOf(symbolicDims);
  }

  /**
   * Applies changes that training made to the weights, in memory; the file does not change.
   *
   * @param layers number of layers that remain in use
   * @param tokenTypes embeddings of the token types, in rows of 384 values
   * @throws OnnxFormatException when the model lacks a changed weight
   */
  public void change(int layers, List<Change> changes, float[] tokenTypes)
      throws OnnxFormatException {
    mostLayers = layers;
    for (Change change : changes) {
      int columns = change.scales().length;
      boolean isMatrix = change.rows() > 1;
      float[] values =
          isMatrix
              ? floats(matrix(bias(change.name()), change.rows(), columns))
              : floats(weight(change.name(), columns));
      for (int i = 0; i < values.length; i++) {
        values[i] += change.scales()[i % columns] * change.steps()[i];
      }
      String name = isMatrix ? matrixOfBias(bias(change.name())) : change.name();
      weights.put(name, new Tensor(weights.get(name).dims, FLOAT, bytes(values)));
    }
    List<Long> dims = List.of((long) tokenTypes.length / WIDTH, (long) WIDTH);
    weights.put(TYPES, new Tensor(dims, FLOAT, bytes(tokenTypes)));
  }

  private static String bias(String matrix) {
    return matrix.replaceFirst("weight$", "bias");
  }

  /** Unmaps the file. After that, the buffers of the file's weights must not be read. */
  @Override
  public void close() {
    arena.close();
  }

  int layers() throws OnnxFormatException {
    int layers = 0;
    while (layers < mostLayers && weights.containsKey(layer(layers) + "output.dense.bias")) {
      layers++;
    }
    if (layers == 0) {
      throw new OnnxFormatException("it has no weights named like a BERT encoder's");
    }
    return layers;
  }

  static String layer(int index) {
    return "encoder.layer." + index + ".";
  }

  /** Returns the float weight of this name and shape, little-endian; throws if it is missing. */
  ByteBuffer weight(String name, long... dims) throws OnnxFormatException {
    Tensor tensor = weights.get(name);
    if (tensor == null) {
      throw new OnnxFormatException("it has no weight " + name);
    }
    long bytes = LongStream.of(dims).reduce(Float.BYTES, (a, b) -> a * b);
    if (tensor.type != FLOAT
        || !tensor.dims.equals(LongStream.of(dims).boxed().toList())
        || tensor.data == null
        || tensor.data.remaining() != bytes) {
      throw new OnnxFormatException("its weight " + name + " has another type, shape or size");
    }
    return tensor.data.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the weight with this name. The weight may have any number of rows of 384 values. */
  ByteBuffer rows(String name) throws OnnxFormatException {
    Tensor tensor = weights.get(name);
    boolean isTable = tensor != null && !tensor.dims.isEmpty();
    return weight(name, isTable ? tensor.dims.getFirst() : 0, WIDTH);
  }

  /**
   * Returns the matrix that belongs to a bias: the bias is added to the matrix's product. An export
   * keeps no names of matrices.
   */
  ByteBuffer matrix(String bias, int rows, int columns) throws OnnxFormatException {
    return weight(matrixOfBias(bias), rows, columns);
  }

  static float[] floats(ByteBuffer weight) {
    float[] values = new float[weight.remaining() / Float.BYTES];
    weight.asFloatBuffer().get(values);
    return values;
  }

  static ByteBuffer bytes(float... values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes;
  }

  private String matrixOfBias(String bias) throws OnnxFormatException {
    String matrix = matrixOfBias.get(bias);
    if (matrix == null) {
      throw new OnnxFormatException("the graph adds no matrix product to the bias " + bias);
    }
    return matrix;
  }

  private Map<String, String> matrices() {
    Map<String, String> ofProduct = new HashMap<>();
    for (Node node : nodes) {
      if (node.operator.equals("MatMul") && node.inputs.size() == 2) {
        ofProduct.put(node.outputs.getFirst(), node.inputs.get(1));
      }
    }
    Map<String, String> ofBias = new HashMap<>();
    for (Node node : nodes) {
      if (node.operator.equals("Add") && node.inputs.size() == 2) {
        for (int i = 0; i < 2; i++) {
          String matrix = ofProduct.get(node.inputs.get(1 - i));
          if (matrix != null) {
            ofBias.put(node.inputs.get(i), matrix);
          }
        }
      }
    }
    return ofBias;
  }

  private void readModel(ByteBuffer model) throws OnnxFormatException {
    List<ProtoField> graphs =
        ProtoField.of(model).stream().filter(field -> field.number() == 7).toList();
    if (graphs.size() != 1) {
      throw new OnnxFormatException("it contains " + graphs.size() + " graphs, not one");
    }
    for (ProtoField field : ProtoField.of(graphs.getFirst().message())) {
      switch (field.number()) {
        case 1 -> readNode(field.message());
        case 5 -> readWeight(field.message());
        case 11 -> readInput(field.message(), 0);
        default -> {}
      }
    }
    matrixOfBias = matrices();
  }

  private void readNode(ByteBuffer node) throws OnnxFormatException {
    List<String> inputs = new ArrayList<>();
    List<String> outputs = new ArrayList<>();
    String operator = "";
    for (ProtoField field : ProtoField.of(node)) {
      switch (field.number()) {
        case 1 -> inputs.add(field.text());
        case 2 -> outputs.add(field.text());
        case 4 -> operator = field.text();
        default -> {}
      }
    }
    nodes.add(new Node(operator, inputs, outputs));
  }

  private void readWeight(ByteBuffer tensor) throws OnnxFormatException {
    List<Long> dims = new ArrayList<>();
    String name = "";
    int type = 0;
    ByteBuffer data = null;
    for (ProtoField field : ProtoField.of(tensor)) {
      switch (field.number()) {
        case 1 -> dims.addAll(field.numbers());
        case 2 -> type = (int) field.value();
        case 8 -> name = field.text();
        case 9 -> data = field.message();
        default -> {}
      }
    }
    weights.put(name, new Tensor(dims, type, data));
  }

  private void readInput(ByteBuffer message, int depth) throws OnnxFormatException {
    for (ProtoField field : ProtoField.of(message)) {
      if (field.number() == DIM_PARAM[depth] && depth == DIM_PARAM.length - 1) {
        symbolicDims.add(field.text());
      } else if (field.number() == DIM_PARAM[depth]) {
        readInput(field.message(), depth + 1);
      }
    }
  }
}
