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

/** How a CPU computes a network: the form that an export is written in, and the engine. */
enum CpuNetwork {
  EXPORTED("FP32", "as exported"),
  FUSED("FP32", "fused"),

  /** In eight bits, by ONNX Runtime. */
  FUSED_INT8("INT8", "fused in eight bits"),

  /** In eight bits, by an engine of our own, which not every processor can run. */
  ENCODER("INT8 by machine code", "in bytes by machine code", Square.BYTES),

  /** In sixteen bits, by the same. */
  FINE_ENCODER("INT16 by machine code", "in 16 bits by machine code", Square.SHORTS);

  private final String id;
  private final String description;
  private final Square kind; // null: ONNX Runtime's

  CpuNetwork(String id, String description, Square kind) {
    this.id = id;
    this.description = description;
    this.kind = kind;
  }

  CpuNetwork(String id, String description) {
    this(id, description, null);
  }

  static CpuNetwork of(Precision precision) {
    return precision != Precision.INT8 ? FUSED : Encoder.isAvailable() ? ENCODER : FUSED_INT8;
  }

  /** Networks with the same id give the same vectors, up to their last bits. */
  String id() {
    return id;
  }

  /** For people. */
  String describe() {
    return description;
  }

  /**
   * Writes an export in this form.
   *
   * @param judge whether the export is one of pairs
   * @param target is replaced
   * @throws dev.helixbg.embed.onnx.OnnxFormatException when that cannot be done
   */
  void write(OnnxFile export, boolean judge, Path target) throws IOException {
    switch (this) {
      case ENCODER, FINE_ENCODER -> EncoderFile.write(export, kind, judge, target);
      case FUSED -> FusedGraph.write(export, Precision.FP32, judge, target);
      case FUSED_INT8 -> FusedGraph.write(export, Precision.INT8, judge, target);
      case EXPORTED -> throw new IllegalArgumentException("an export is there already");
    }
  }

  /** The file of the network in the folder of a prepared model. */
  Path in(Path folder) {
    return folder.resolve(kind != null ? "encoder.weights" : "graph.onnx");
  }

  /** The file and the other files that it needs. */
  Path[] files(Path file) {
    return kind != null || this == EXPORTED
        ? new Path[] {file}
        : new Path[] {file, FusedGraph.weightsOf(file)};
  }

  /**
   * Loads it.
   *
   * @param pooling {@link Pooling#FIRST} for a judge
   * @throws EmbeddingException where the system lets no program make code
   */
  TokenModel open(Path file, Pooling pooling) throws OrtException, IOException {
    if (kind == null) {
      return new CpuModel(file, this == FUSED_INT8, pooling);
    }
    try {
      return new EncoderModel(Encoder.open(file), pooling);
    } catch (UnsupportedOperationException e) {
      throw new EmbeddingException(
          e.getMessage() + ": set JAVA_TOOL_OPTIONS=-Dhelixbg.machine.code=false to do without", e);
    }
  }

  /** The network on ONNX Runtime's CPU provider: any batch shape, one thread per caller. */
  static final class CpuModel implements TokenModel {

    /**
     * Tokens of a batch, padding included. Larger batches leave the cache, smaller ones leave the
     * matrix kernels without work: both are slower.
     */
    private static final int TOKEN_BUDGET = 512;

    private final BertSession session;
    private final boolean oneByOne;

    /**
     * @param oneByOne whether each text is a batch of its own. In eight bits the activations of a
     *     batch share one scale, so a vector would depend on its neighbours.
     */
    CpuModel(Path graph, boolean oneByOne, Pooling pooling) throws OrtException {
      this.oneByOne = oneByOne;
      session = BertSession.open(graph, pooling, options -> options.setInterOpNumThreads(1));
    }

    @Override
    public int batchSize(int longest) {
      return oneByOne ? 1 : Math.max(1, TOKEN_BUDGET / longest);
    }

    @Override
    public int callers(int threads) {
      return threads;
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
}
