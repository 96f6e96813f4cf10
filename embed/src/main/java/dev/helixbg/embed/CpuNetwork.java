package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import dev.helixbg.embed.onnx.EncoderFile;
import dev.helixbg.embed.onnx.FusedGraph;
import dev.helixbg.embed.onnx.OnnxFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Methods of computing a network on a CPU. Each method has a file format, into which the exported
 * network is rewritten, and an engine that runs the file.
 */
enum CpuNetwork {
  EXPORTED("FP32", "as exported"),
  FUSED("FP32", "fused graph"),

  FUSED_INT8("INT8", "fused graph in 8-bit arithmetic"),

  /** Eight-bit arithmetic in {@link Encoder}, which not every processor can run. */
  ENCODER("INT8 by machine code", "8-bit arithmetic by machine code", Square.BYTES),

  FINE_ENCODER("INT16 by machine code", "16-bit arithmetic by machine code", Square.SHORTS),

  /**
   * Eight-bit arithmetic in {@link Encoder} with smoothed activations (SmoothQuant, see {@code
   * docs/decisions}, number 104). Needs the bundled model and a processor with VNNI instructions.
   */
  SMOOTHED_ENCODER(
      "INT8 smoothed by machine code",
      "8-bit arithmetic by machine code, with smoothed activations",
      Square.FINE_BYTES);

  private final String id;
  private final String description;
  private final Square kind; // null if ONNX Runtime runs the network

  CpuNetwork(String id, String description, Square kind) {
    this.id = id;
    this.description = description;
    this.kind = kind;
  }

  CpuNetwork(String id, String description) {
    this(id, description, null);
  }

  static CpuNetwork of(Precision precision, boolean bundled) {
    if (precision != Precision.INT8) {
      return FUSED;
    }
    return bundled && Encoder.isAvailable(Square.FINE_BYTES) ? SMOOTHED_ENCODER : ofJudge();
  }

  static CpuNetwork ofJudge() {
    return Encoder.isAvailable(Square.BYTES) ? ENCODER : FUSED_INT8;
  }

  /** Returns the id; networks with the same id give the same vectors, except for the last bits. */
  String id() {
    return id;
  }

  boolean isMachineCode() {
    return kind != null;
  }

  String describe() {
    return description;
  }

  /**
   * Rewrites an exported network in this format.
   *
   * @param judge whether the network is a pair judge
   * @throws dev.helixbg.embed.onnx.OnnxFormatException when the network cannot be rewritten
   */
  void write(OnnxFile export, boolean judge, Path target) throws IOException {
    switch (this) {
      case ENCODER, FINE_ENCODER, SMOOTHED_ENCODER ->
          EncoderFile.write(export, kind, judge, target);
      case FUSED -> FusedGraph.write(export, Precision.FP32, judge, target);
      case FUSED_INT8 -> FusedGraph.write(export, Precision.INT8, judge, target);
      case EXPORTED ->
          throw new IllegalArgumentException("the exported network needs no rewriting");
    }
  }

  Path in(Path folder) {
    return folder.resolve(kind != null ? "encoder.weights" : "graph.onnx");
  }

  /** Returns the network's file, and the file of its large weights if there is one. */
  Path[] files(Path file) {
    return kind != null || this == EXPORTED
        ? new Path[] {file}
        : new Path[] {file, FusedGraph.weightsOf(file)};
  }

  /**
   * Loads a network; {@code pooling} is {@link Pooling#FIRST} for a pair judge.
   *
   * @throws EmbeddingException if the system forbids programs to make machine code
   */
  TokenModel open(Path file, Pooling pooling) throws OrtException, IOException {
    if (kind == null) {
      return new CpuModel(file, this == FUSED_INT8, pooling);
    }
    try {
      return new EncoderModel(new Encoder(file), pooling);
    } catch (UnsupportedOperationException e) {
      throw new EmbeddingException(
          e.getMessage()
              + ": set HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Dhelixbg.machine.code=false to run without"
              + " machine code",
          e);
    }
  }

  /** The network on ONNX Runtime's CPU provider. A batch may have any shape. */
  static final class CpuModel implements TokenModel {
    private final BertSession session;
    private final boolean oneByOne;

    /**
     * @param oneByOne whether each text is a batch of its own. In eight-bit arithmetic the texts of
     *     a batch share one scale, so their vectors would depend on each other.
     */
    CpuModel(Path graph, boolean oneByOne, Pooling pooling) throws OrtException {
      this.oneByOne = oneByOne;
      session = BertSession.open(graph, pooling, options -> options.setInterOpNumThreads(1));
    }

    @Override
    public int batchSize(int longest) {
      return oneByOne ? 1 : TokenModel.super.batchSize(longest);
    }

    @Override
    public float[][] embed(int[][] ids) throws OrtException {
      return session.embed(ids, ids.length, BertSession.longest(ids));
    }

    @Override
    public void close() {
      session.close();
    }
  }

  /** Runs the network on {@link Encoder}. A batch may mix texts of any length. */
  private record EncoderModel(Encoder encoder, Pooling pooling) implements TokenModel {
    @Override
    public float[][] embed(int[][] ids) {
      int[][] types = new int[ids.length][];
      for (int text = 0; text < ids.length; text++) {
        types[text] =
            pooling == Pooling.FIRST
                ? BertSession.tokenTypes(ids[text])
                : new int[ids[text].length];
      }
      float[] states;
      try {
        states = encoder.states(ids, types);
      } catch (IndexOutOfBoundsException e) {
        throw new EmbeddingException(
            "the model does not fit its tokenizer or embed.max_tokens: " + e.getMessage(), e);
      }
      float[][] vectors = new float[ids.length][];
      int from = 0;
      for (int text = 0; text < ids.length; text++) {
        vectors[text] = pooling.pool(states, from, ids[text].length);
        from += pooling == Pooling.FIRST ? 1 : ids[text].length;
      }
      return vectors;
    }

    @Override
    public void close() {
      encoder.close();
    }
  }
}
