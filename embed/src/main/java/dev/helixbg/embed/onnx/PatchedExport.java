package dev.helixbg.embed.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes a copy of an exported model that ends after some of its layers, in which something was
 * added to some weights, and which has a table of token types of its own.
 */
public final class PatchedExport {
  private static final String WEIGHT = ".weight";
  private static final String TYPES = "embeddings.token_type_embeddings.weight";
  private static final int WIDTH = 384;

  /** Field of the graph in a model; the next two are fields of a node and a weight in a graph. */
  private static final int GRAPH_FIELD = 7;

  private static final int NODE_FIELD = 1;
  private static final int WEIGHT_FIELD = 5;

  /**
   * Change that is added to a weight [rows, columns], or [columns] where there is one row: each
   * column's scale times its steps.
   *
   * @param name as PyTorch calls it; an export keeps the names of biases only, and a matrix is
   *     known by its bias
   * @param scales by column
   * @param steps row after row
   */
  public record Change(String name, int rows, float[] scales, byte[] steps) {
    public Change {
      if (rows < 1 || steps.length != (long) rows * scales.length) {
        throw new IllegalArgumentException(name + " has other steps than rows and columns");
      }
    }
  }

  /** Part of the copy that stands in the place of a part of the source. */
  private interface Part {
    byte[] bytes(RandomAccessFile in) throws IOException;
  }

  /**
   * @param size of the part
   */
  private record Replaced(ByteSpan span, long size, Part part) {
    Replaced(ByteSpan span, byte[] bytes) {
      this(span, bytes.length, in -> bytes);
    }
  }

  private PatchedExport() {}

  /**
   * @param layers that the copy has, fewer than the source
   * @param tokenTypes rows of 384: what is added to the embedding of a token of each type
   * @throws OnnxFormatException when the source has no such layers or weights, or two changes mean
   *     the same
   */
  public static void write(
      OnnxFile source, int layers, List<Change> changes, float[] tokenTypes, OutputStream out)
      throws IOException {
    List<Replaced> parts = withoutLayersFrom(layers, source);
    Set<Long> starts = new HashSet<>();
    for (Change change : changes) {
      ByteSpan span = tensor(source, change).data();
      if (!starts.add(span.start())) {
        throw new OnnxFormatException("the weight " + change.name() + " is changed twice");
      }
      parts.add(new Replaced(span, span.size(), in -> changed(in, span, change)));
    }
    ByteSpan old = field(source.weight(TYPES, source.rows(TYPES), WIDTH).message(), WEIGHT_FIELD);
    parts.add(new Replaced(old, table(tokenTypes)));
    ByteSpan graph = source.graph();
    long size = graph.size();
    for (Replaced replaced : parts) {
      size += replaced.size() - replaced.span().size();
    }
    ByteSpan head = new ByteSpan(field(graph, GRAPH_FIELD).start(), graph.start());
    parts.add(new Replaced(head, new ProtoWriter().header(GRAPH_FIELD, size).toBytes()));
    parts.sort(Comparator.comparingLong(part -> part.span().start()));
    try (RandomAccessFile in = new RandomAccessFile(source.path().toFile(), "r")) {
      requireKey(in, head, GRAPH_FIELD);
      requireKey(in, old, WEIGHT_FIELD);
      long at = 0;
      for (Replaced replaced : parts) {
        new ByteSpan(at, replaced.span().start()).copy(in, out);
        out.write(replaced.part().bytes(in));
        at = replaced.span().end();
      }
      new ByteSpan(at, in.length()).copy(in, out);
    }
  }

  /**
   * The nodes of these layers, which an export has last, and their weights are left out; the states
   * before them get the name of those behind them.
   */
  private static List<Replaced> withoutLayersFrom(int first, OnnxFile source)
      throws OnnxFormatException {
    String query = source.matrixOfBias("encoder.layer." + first + ".attention.self.query.bias");
    List<OnnxFile.Node> nodes = source.nodes();
    int from = 0;
    while (!nodes.get(from).inputs().contains(query)) {
      from++;
    }
    List<OnnxFile.Node> dropped = nodes.subList(from, nodes.size());
    ProtoWriter renamed =
        new ProtoWriter()
            .text(1, dropped.getFirst().inputs().getFirst())
            .text(2, dropped.getLast().outputs().getFirst())
            .text(4, "Identity");
    List<Replaced> parts = new ArrayList<>();
    Set<String> used = new HashSet<>();
    nodes.subList(0, from).forEach(node -> used.addAll(node.inputs()));
    byte[] part = new ProtoWriter().message(NODE_FIELD, renamed).toBytes();
    for (OnnxFile.Node node : dropped) {
      parts.add(new Replaced(field(node.message(), NODE_FIELD), part));
      part = new byte[0];
    }
    for (OnnxFile.Tensor weight : source.weights()) {
      if (!used.contains(weight.name())) {
        parts.add(new Replaced(field(weight.message(), WEIGHT_FIELD), new byte[0]));
      }
    }
    return parts;
  }

  private static OnnxFile.Tensor tensor(OnnxFile source, Change change) throws OnnxFormatException {
    String name = change.name();
    if (change.rows() == 1) {
      return source.weight(name, change.scales().length);
    }
    if (!name.endsWith(WEIGHT)) {
      throw new OnnxFormatException("the matrix " + name + " has another name than matrices have");
    }
    String stem = name.substring(0, name.length() - WEIGHT.length());
    return source.weight(
        source.matrixOfBias(stem + ".bias"), change.rows(), change.scales().length);
  }

  /** A message with its key and length before it, as short as these can be. */
  private static ByteSpan field(ByteSpan message, int field) {
    int head = new ProtoWriter().header(field, message.size()).toBytes().length;
    return new ByteSpan(message.start() - head, message.end());
  }

  private static void requireKey(RandomAccessFile in, ByteSpan field, int number)
      throws IOException {
    in.seek(field.start());
    if (in.read() != (new ProtoWriter().header(number, 0).toBytes()[0] & 0xFF)) {
      throw new OnnxFormatException("at byte " + field.start() + " no field begins");
    }
  }

  private static byte[] table(float[] tokenTypes) {
    ByteBuffer values =
        ByteBuffer.allocate(tokenTypes.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    values.asFloatBuffer().put(tokenTypes);
    ProtoWriter tensor =
        new ProtoWriter()
            .number(1, tokenTypes.length / WIDTH)
            .number(1, WIDTH)
            .number(2, OnnxFile.FLOAT)
            .text(8, TYPES)
            .bytes(9, values.array());
    return new ProtoWriter().message(WEIGHT_FIELD, tensor).toBytes();
  }

  private static byte[] changed(RandomAccessFile in, ByteSpan span, Change change)
      throws IOException {
    byte[] bytes = new byte[Math.toIntExact(span.size())];
    in.seek(span.start());
    in.readFully(bytes);
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    float[] scales = change.scales();
    byte[] steps = change.steps();
    for (int i = 0; i < steps.length; i++) {
      int offset = i * Float.BYTES;
      values.putFloat(offset, values.getFloat(offset) + scales[i % scales.length] * steps[i]);
    }
    return bytes;
  }
}
