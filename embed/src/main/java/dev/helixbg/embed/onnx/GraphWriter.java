package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Collects the nodes and weights of an ONNX graph and writes the model file. Weights that are taken
 * over unchanged are copied from file to file, without passing through the heap as a whole.
 *
 * <p>Large weights may be in a file of their own: ONNX Runtime maps that into memory, where it
 * copies twice what the model file itself holds.
 */
final class GraphWriter {

  /** The operator set of ONNX Runtime's own, fused operators. */
  static final String MICROSOFT = "com.microsoft";

  static final String STANDARD = "";

  static final int FLOAT = 1;
  static final int UINT8 = 2;
  static final int INT8 = 3;
  static final int INT32 = 6;

  private static final int IR_VERSION = 8;
  private static final int OPSET = 17;

  private sealed interface Part {
    long size();
  }

  private record Bytes(byte[] bytes) implements Part {
    @Override
    public long size() {
      return bytes.length;
    }
  }

  private record Copied(ByteSpan span) implements Part {
    @Override
    public long size() {
      return span.size();
    }
  }

  /** From where on a weight, in bytes, is in a file of its own. */
  private static final int LARGE = 1 << 16;

  /** Where it begins there: on a page of memory. */
  private static final int PAGE = 1 << 12;

  private final Optional<String> weightsFile;
  private final List<Part> parts = new ArrayList<>();
  private final List<Part> large = new ArrayList<>();
  private long largeBytes;

  /** All weights in the model file. */
  GraphWriter() {
    this(Optional.empty());
  }

  /**
   * @param weightsFile name of the file beside the model's that large weights are in; empty: none
   */
  GraphWriter(Optional<String> weightsFile) {
    this.weightsFile = weightsFile;
  }

  /**
   * @param dims each a name, for one that varies, or a number
   */
  void input(String name, int type, Object... dims) {
    value(11, name, type, dims);
  }

  void output(String name, Object... dims) {
    value(12, name, FLOAT, dims);
  }

  /** Adds one of ONNX Runtime's own operators; attributes are pairs of name and a number. */
  void fused(String operator, List<String> inputs, String output, Object... attributes) {
    node(MICROSOFT, operator, inputs, output, attributes);
  }

  /** Adds an operator; attributes are pairs of name and an Integer or a Float. */
  void node(
      String domain, String operator, List<String> inputs, String output, Object... attributes) {
    ProtoWriter node = new ProtoWriter();
    inputs.forEach(input -> node.text(1, input));
    node.text(2, output);
    if (operator.equals("EmbedLayerNormalization")) {
      node.text(2, output + ".mask_index"); // the operator insists on a second output
    }
    node.text(3, output).text(4, operator);
    for (int i = 0; i < attributes.length; i += 2) {
      ProtoWriter attribute = new ProtoWriter().text(1, (String) attributes[i]);
      switch (attributes[i + 1]) {
        case Float real -> attribute.real(2, real).number(20, 1);
        case Integer number -> attribute.number(3, number).number(20, 2);
        default -> throw new IllegalArgumentException("attribute " + attributes[i]);
      }
      node.message(5, attribute);
    }
    if (!domain.isEmpty()) {
      node.text(7, domain);
    }
    add(new ProtoWriter().message(1, node));
  }

  String copy(OnnxFile.Tensor tensor, String name) {
    weight(name, FLOAT, new Copied(tensor.data()), tensor.dims());
    return name;
  }

  String floats(String name, float[] values, long... dims) {
    ByteBuffer bytes =
        ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes(name, FLOAT, bytes.array(), dims);
  }

  String bytes(String name, int type, byte[] values, long... dims) {
    weight(name, type, new Bytes(values), LongStream.of(dims).boxed().toList());
    return name;
  }

  /**
   * Writes the model.
   *
   * @param weights the file that copied weights come from
   */
  void writeTo(OutputStream out, Path weights) throws IOException {
    byte[] name = new ProtoWriter().text(2, "fused").toBytes();
    long graphBytes = name.length;
    for (Part part : parts) {
      graphBytes += part.size();
    }
    out.write(
        new ProtoWriter()
            .number(1, IR_VERSION)
            .text(2, "helix-bg")
            .message(8, new ProtoWriter().text(1, STANDARD).number(2, OPSET))
            .message(8, new ProtoWriter().text(1, MICROSOFT).number(2, 1))
            .header(7, graphBytes)
            .toBytes());
    out.write(name);
    write(parts, out, weights);
  }

  /**
   * Writes the file of large weights.
   *
   * @param weights the file that copied weights come from
   */
  void writeLargeTo(OutputStream out, Path weights) throws IOException {
    write(large, out, weights);
  }

  private static void write(List<Part> parts, OutputStream out, Path weights) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(weights.toFile(), "r")) {
      for (Part part : parts) {
        switch (part) {
          case Bytes(byte[] bytes) -> out.write(bytes);
          case Copied(ByteSpan span) -> span.copy(in, out);
        }
      }
    }
  }

  private void value(int field, String name, int type, Object... dims) {
    ProtoWriter shape = new ProtoWriter();
    for (Object dim : dims) {
      shape.message(
          1,
          dim instanceof String symbol
              ? new ProtoWriter().text(2, symbol)
              : new ProtoWriter().number(1, (Integer) dim));
    }
    ProtoWriter tensor = new ProtoWriter().number(1, type).message(2, shape);
    ProtoWriter value =
        new ProtoWriter().text(1, name).message(2, new ProtoWriter().message(1, tensor));
    add(new ProtoWriter().message(field, value));
  }

  private void weight(String name, int type, Part data, List<Long> dims) {
    ProtoWriter head = new ProtoWriter();
    dims.forEach(dim -> head.number(1, dim));
    head.number(2, type).text(8, name);
    if (weightsFile.isPresent() && data.size() >= LARGE) {
      head.message(13, pair("location", weightsFile.get()))
          .message(13, pair("offset", Long.toString(largeBytes)))
          .message(13, pair("length", Long.toString(data.size())))
          .number(14, 1);
      add(new ProtoWriter().message(5, head));
      Bytes rest = new Bytes(new byte[(int) -(data.size() % PAGE) & PAGE - 1]);
      large.add(data);
      large.add(rest);
      largeBytes += data.size() + rest.size();
      return;
    }
    byte[] tensor = head.header(9, data.size()).toBytes();
    add(new ProtoWriter().header(5, tensor.length + data.size()));
    parts.add(new Bytes(tensor));
    parts.add(data);
  }

  private static ProtoWriter pair(String key, String value) {
    return new ProtoWriter().text(1, key).text(2, value);
  }

  private void add(ProtoWriter fields) {
    parts.add(new Bytes(fields.toBytes()));
  }
}
