package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtProvider;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.natives.PackedLibraries;
import dev.helixbg.embed.onnx.OnnxFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The exported network on Apple's CoreML, whose Neural Engine needs inputs of a fixed shape. Each
 * range of text lengths (a bucket) has a session with a fixed batch size and padding. CoreML
 * compiles the network once for each bucket, into the cache folder.
 *
 * <p>Options: <a
 * href="https://onnxruntime.ai/docs/execution-providers/CoreML-ExecutionProvider.html">CoreML
 * execution provider</a>.
 */
final class CoreMlModel implements TokenModel {

  private static final int[] BUCKETS = {16, 32, 64, 128, 256, 512};

  private final Path graph;
  private final Path compiled;
  private final List<String> dims;
  private final Map<Integer, BertSession> buckets = new TreeMap<>();

  /**
   * Uses the network as exported, because CoreML does not support the fused operators of {@link
   * dev.helixbg.embed.onnx.FusedGraph}.
   */
  CoreMlModel(ModelSource source, Path cacheFolder) throws IOException {
    graph = source.locate().graph();
    compiled =
        cacheFolder
            .resolve("coreml")
            .resolve(source.graphHash().substring(0, 16) + "-" + NativeLibraries.VERSION);
    try (OnnxFile file = OnnxFile.open(graph)) {
      dims = file.symbolicDims();
    }
    if (dims.size() != 2) {
      throw new EmbeddingException(
          ("the model %s has the variable dimensions %s, but CoreML needs the two dimensions batch"
                  + " and sequence: set embed.provider = \"cpu\"")
              .formatted(graph, dims));
    }
  }

  /** Returns whether this build of ONNX Runtime supports CoreML; only builds for macOS do. */
  static boolean isAvailable() {
    if (!PackedLibraries.os().equals("osx")) {
      return false;
    }
    NativeLibraries.loadOnnxRuntime();
    return OrtEnvironment.getAvailableProviders().contains(OrtProvider.CORE_ML);
  }

  @Override
  public int batchSize(int longest) {
    return TOKENS_PER_BATCH / columns(longest);
  }

  @Override
  public int callers(int threads) {
    return 1; // the Neural Engine runs one prediction at a time
  }

  @Override
  public synchronized float[][] embed(int[][] ids) throws OrtException {
    int columns = columns(BertSession.longest(ids));
    return bucket(columns).embed(ids, TOKENS_PER_BATCH / columns, columns);
  }

  @Override
  public synchronized void close() {
    buckets.values().forEach(BertSession::close);
    buckets.clear();
  }

  private static int columns(int longest) {
    return IntStream.of(BUCKETS).filter(columns -> columns >= longest).findFirst().orElseThrow();
  }

  private BertSession bucket(int columns) throws OrtException {
    BertSession found = buckets.get(columns);
    if (found == null) {
      found = open(TOKENS_PER_BATCH / columns, columns);
      buckets.put(columns, found);
    }
    return found;
  }

  private BertSession open(int rows, int columns) throws OrtException {
    Path bucket = compiled.resolve(rows + "x" + columns);
    try {
      PrivateFiles.makeTrustedFolder(compiled, bucket);
    } catch (IOException e) {
      throw new EmbeddingException(
          "cannot create the CoreML cache " + bucket + ": " + PrivateFiles.reason(e), e);
    }
    return BertSession.open(
        graph,
        Pooling.UNIT_MEAN,
        options -> {
          options.setSymbolicDimensionValue(dims.get(0), rows);
          options.setSymbolicDimensionValue(dims.get(1), columns);
          options.addCoreML(
              Map.of(
                  "ModelFormat", "MLProgram",
                  "MLComputeUnits", "CPUAndNeuralEngine",
                  "RequireStaticInputShapes", "1",
                  "EnableOnSubgraphs", "0",
                  "ModelCacheDirectory", bucket.toString()));
        });
  }
}
