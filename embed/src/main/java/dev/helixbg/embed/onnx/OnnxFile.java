package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parts of an ONNX model file that a rewrite needs: nodes, weights (left in the file) and the
 * names of variable dimensions. Field numbers are those of <a
 * href="https://github.com/onnx/onnx/blob/main/onnx/onnx.proto">onnx.proto</a>.
 */
public final class OnnxFile implements AutoCloseable {

  static final int FLOAT = 1;

  /** ValueInfoProto.type.tensor_type.shape.dim.dim_param. */
  private static final int[] DIM_PARAM = {2, 1, 2, 1, 2};

  private static final int MAX_DIMS = 8;
  private static final int MAX_PARTS = 100_000;

  /**
   * An operator with the names of its inputs and outputs.
   *
   * @param message all of it in the file
   */
  record Node(String operator, List<String> inputs, List<String> outputs, ByteSpan message) {}

  /**
   * A weight.
   *
   * @param data its content in the file, little-endian
   * @param message all of it in the file
   */
  record Tensor(String name, List<Long> dims, int type, ByteSpan data, ByteSpan message) {}

  private final ProtoReader reader;
  private final Path path;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Tensor> weights = new HashMap<>();
  private final Map<String, String> matrixOfBias = new HashMap<>();
  private ByteSpan graph;
  private final Set<String> symbolicDims = new LinkedHashSet<>();

  private OnnxFile(Path path) throws IOException {
    this.path = path;
    this.reader = new ProtoReader(path);
  }

  /**
   * @throws OnnxFormatException when the file is not a well-formed model
   */
  public static OnnxFile open(Path path) throws IOException {
    OnnxFile file = new OnnxFile(path);
    try {
      file.readModel();
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Names of the inputs' dimensions that vary, in the order of the first input that has them. */
  public List<String> symbolicDims() {
    return List.copyOf(symbolicDims);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  Path path() {
    return path;
  }

  /** Where the graph is in the file. */
  ByteSpan graph() {
    return graph;
  }

  List<Node> nodes() {
    return nodes;
  }

  /**
   * Returns the float weight of this name and shape.
   *
   * @throws OnnxFormatException when there is no such weight
   */
  Tensor weight(String name, long... dims) throws OnnxFormatException {
    Tensor tensor = weights.get(name);
    if (tensor == null) {
      throw new OnnxFormatException("it has no weight " + name);
    }
    boolean fits = tensor.type == FLOAT && tensor.dims.size() == dims.length;
    long bytes = Float.BYTES;
    for (int i = 0; fits && i < dims.length; i++) {
      fits = tensor.dims.get(i) == dims[i];
      bytes *= dims[i];
    }
    if (!fits || tensor.data == null || tensor.data.size() != bytes) {
      throw new OnnxFormatException("its weight " + name + " has another type, shape or size");
    }
    return tensor;
  }

  /**
   * The matrix whose product a bias is added to: an export keeps no names of matrices.
   *
   * @throws OnnxFormatException when there is no such matrix
   */
  String matrixOfBias(String bias) throws OnnxFormatException {
    if (matrixOfBias.isEmpty()) {
      findMatrices();
    }
    String matrix = matrixOfBias.get(bias);
    if (matrix == null) {
      throw new OnnxFormatException("no matrix product feeds the bias " + bias);
    }
    return matrix;
  }

  private void findMatrices() {
    Map<String, String> matrixOfProduct = new HashMap<>();
    for (Node node : nodes) {
      if (node.operator.equals("MatMul") && node.inputs.size() == 2) {
        matrixOfProduct.put(node.outputs.getFirst(), node.inputs.get(1));
      }
    }
    for (Node node : nodes) {
      if (node.operator.equals("Add") && node.inputs.size() == 2) {
        String left = node.inputs.get(0);
        String right = node.inputs.get(1);
        if (matrixOfProduct.containsKey(right)) {
          matrixOfBias.put(left, matrixOfProduct.get(right));
        } else if (matrixOfProduct.containsKey(left)) {
          matrixOfBias.put(right, matrixOfProduct.get(left));
        }
      }
    }
  }

  Collection<Tensor> weights() {
    return weights.values();
  }

  boolean hasWeight(String name) {
    return weights.containsKey(name);
  }

  /** First dimension of a weight; 0 when there is no such weight. */
  long rows(String name) {
    Tensor tensor = weights.get(name);
    return tensor == null || tensor.dims.isEmpty() ? 0 : tensor.dims.getFirst();
  }

  float[] floats(Tensor tensor) throws IOException {
    byte[] bytes = reader.bytes(tensor.data);
    float[] values = new float[bytes.length / Float.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
    return values;
  }

  private void readModel() throws IOException {
    List<ByteSpan> graphs = new ArrayList<>();
    reader.forEachField(
        reader.whole(),
        (field, value, span) -> {
          if (field == 7) {
            graphs.add(required(span));
          }
        });
    if (graphs.size() != 1) {
      throw new OnnxFormatException("it holds " + graphs.size() + " graphs, not one");
    }
    graph = graphs.getFirst();
    reader.forEachField(
        graph,
        (field, value, span) -> {
          switch (field) {
            case 1 -> nodes.add(readNode(required(span)));
            case 5 -> readWeight(required(span));
            case 11 -> readInput(required(span), 0);
            default -> {}
          }
          if (nodes.size() + weights.size() > MAX_PARTS) {
            throw new OnnxFormatException("it has more than " + MAX_PARTS + " nodes and weights");
          }
        });
  }

  private Node readNode(ByteSpan node) throws IOException {
    List<String> inputs = new ArrayList<>();
    List<String> outputs = new ArrayList<>();
    String[] operator = {""};
    reader.forEachField(
        node,
        (field, value, span) -> {
          switch (field) {
            case 1 -> inputs.add(reader.string(span));
            case 2 -> outputs.add(reader.string(span));
            case 4 -> operator[0] = reader.string(span);
            default -> {}
          }
        });
    return new Node(operator[0], inputs, outputs, node);
  }

  private void readWeight(ByteSpan tensor) throws IOException {
    List<Long> dims = new ArrayList<>();
    String[] name = {""};
    int[] type = {0};
    ByteSpan[] data = {null};
    ProtoReader.Visitor addDim =
        (field, value, span) -> {
          if (value < 0 || dims.size() == MAX_DIMS) {
            throw new OnnxFormatException("a weight has impossible dimensions");
          }
          dims.add(value);
        };
    reader.forEachField(
        tensor,
        (field, value, span) -> {
          switch (field) {
            case 1 -> {
              if (span == null) {
                addDim.visit(field, value, null);
              } else {
                reader.forEachPacked(span, addDim);
              }
            }
            case 2 -> type[0] = (int) value;
            case 8 -> name[0] = reader.string(span);
            case 9 -> data[0] = required(span);
            default -> {}
          }
        });
    weights.put(name[0], new Tensor(name[0], List.copyOf(dims), type[0], data[0], tensor));
  }

  /** Notes the names of an input's variable dimensions: the strings where a path ends. */
  private void readInput(ByteSpan message, int depth) throws IOException {
    reader.forEachField(
        message,
        (field, value, span) -> {
          if (field == DIM_PARAM[depth] && depth == DIM_PARAM.length - 1) {
            symbolicDims.add(reader.string(required(span)));
          } else if (field == DIM_PARAM[depth]) {
            readInput(required(span), depth + 1);
          }
        });
  }

  private static ByteSpan required(ByteSpan span) throws OnnxFormatException {
    if (span == null) {
      throw new OnnxFormatException("it has a number where a message belongs");
    }
    return span;
  }
}
