package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects the nodes and weights of an ONNX graph and writes the model file.
 *
 * <p>Large weights may be in a separate file, which ONNX Runtime maps into memory. Weights inside
 * the model file would be copied twice by ONNX Runtime.
 */
final class GraphWriter {

  /** Domain of ONNX Runtime's own fused operators. */
  static final String MICROSOFT = "com.microsoft";

  static final String STANDARD = "";

  static final int FLOAT = 1;
  static final int UINT8 = 2;
  static final int INT8 = 3;
  static final int INT32 = 6;

  private static final int IR_VERSION = 8;
  private static final int OPSET = 17;

  /** Minimum size of a weight in the file of large weights, in bytes. */
  private static final int LARGE = 1 << 16;

  /** Alignment of weights in the file of large weights, in bytes: a page of memory. */
  private static final int PAGE = 1 << 12;

  private final Optional<String> weightsFile;
  private final ProtoWriter graph = new ProtoWriter().text(2, "fused");
  private final List<ByteBuffer> large = new ArrayList<>();
  private long largeBytes;

  /** Makes a writer; {@code weightsFile} names the file of large weights beside the model file. */
  GraphWriter(Optional<String> weightsFile) {
    this.weightsFile = weightsFile;
  }

  /** Adds an input; a dimension is a number, or the name of a variable dimension. */
  void input(String name, int type, Object... dims) {
    value(11, name, type, dims);
  }

  void output(String name, Object... dims) {
    value(12, name, FLOAT, dims);
  }

  /** Adds one of ONNX Runtime's own operators. */
  void fused(String operator, List<String> inputs, String output, Object... attributes) {
    node(MICROSOFT, operator, inputs, output, attributes);
  }

  /** Adds an operator; attributes are pairs of a name and an Integer or a Float. */
  void node(
      String domain, String operator, List<String> inputs, String output, Object... attributes) {
    ProtoWriter node = new ProtoWriter();
    inputs.forEach(input -> node.text(1, input));
    node.text(2, output);
    if (operator.equals("EmbedLayerNormalization")) {
      node.text(2, output + ".mask_index"); // the operator requires a second output
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
    graph.message(1, node);
  }

  String floats(String name, ByteBuffer values, long... dims) {
    return weight(name, FLOAT, values, dims);
  }

  /**
   * Adds a little-endian weight and returns its name. The data of a large weight is read only when
   * the files are written.
   */
  String weight(String name, int type, ByteBuffer data, long... dims) {
    ProtoWriter tensor = new ProtoWriter();
    for (long dim : dims) {
      tensor.number(1, dim);
    }
    tensor.number(2, type).text(8, name);
    int bytes = data.remaining();
    if (weightsFile.isPresent() && bytes >= LARGE) {
      tensor
          .message(13, pair("location", weightsFile.get()))
          .message(13, pair("offset", Long.toString(largeBytes)))
          .message(13, pair("length", Integer.toString(bytes)))
          .number(14, 1);
      large.add(data);
      largeBytes += bytes + padding(data);
    } else {
      byte[] copy = new byte[bytes];
      data.duplicate().get(copy);
      tensor.bytes(9, copy);
    }
    graph.message(5, tensor);
    return name;
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(
        new ProtoWriter()
            .number(1, IR_VERSION)
            .text(2, "helix-bg")
            .message(8, new ProtoWriter().text(1, STANDARD).number(2, OPSET))
            .message(8, new ProtoWriter().text(1, MICROSOFT).number(2, 1))
            .message(7, graph)
            .toBytes());
  }

  void writeLargeTo(OutputStream out) throws IOException {
    WritableByteChannel channel = Channels.newChannel(out);
    for (ByteBuffer weight : large) {
      channel.write(weight.duplicate());
      out.write(new byte[padding(weight)]);
    }
  }

  private static int padding(ByteBuffer weight) {
    return -weight.remaining() & PAGE - 1;
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
    graph.message(
        field, new ProtoWriter().text(1, name).message(2, new ProtoWriter().message(1, tensor)));
  }

  private static ProtoWriter pair(String key, String value) {
    return new ProtoWriter().text(1, key).text(2, value);
  }
}
