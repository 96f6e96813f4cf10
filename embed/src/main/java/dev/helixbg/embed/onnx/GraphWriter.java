package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Collects the nodes and weights of an ONNX graph and writes the model file. Weights that are taken
 * over unchanged are copied from file to file, without passing through the heap as a whole.
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

  private final List<Part> parts = new ArrayList<>();

  /**
   * @param dims each a name, for one that varies, or a number
   */
  void input(String name, int type, Object... dims) {
    value(11, name, type, dims);
  }

  void output(String name, int type, Object... dims) {
    value(12, name, type, dims);
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
    byte[] tensor = head.number(2, type).text(8, name).header(9, data.size()).toBytes();
    add(new ProtoWriter().header(5, tensor.length + data.size()));
    parts.add(new Bytes(tensor));
    parts.add(data);
  }

  private void add(ProtoWriter fields) {
    parts.add(new Bytes(fields.toBytes()));
  }
}
