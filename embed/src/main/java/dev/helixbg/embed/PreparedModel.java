package dev.helixbg.embed;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.embed.onnx.FusedGraph;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.OnnxFormatException;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A model made ready once, in the cache folder: its graph rewritten to fused operators, compared
 * with the original, and its tokenizer definition. A note written last vouches for these files;
 * without a note that fits them they are made again.
 *
 * @param graph what to load: the rewritten graph, or the original where the rewrite failed
 * @param fused whether it is the rewritten one
 * @param why for people
 * @param tokenizer the prepared definition
 */
record PreparedModel(Path graph, boolean fused, String why, Path tokenizer) {

  /** Raise the number whenever {@link FusedGraph} or {@link TokenizerFile} write something else. */
  private static final String FORMAT = "helix-bg prepared model 3";

  private static final int PROBE_TOKENS = 64;
  private static final double FP32_BOUND = 0.9999;
  static final double INT8_BOUND = 0.98;

  static PreparedModel of(ModelSource source, Precision precision, Path cacheFolder)
      throws IOException {
    String key =
        Sha256.of(source.graphHash() + "\n" + source.tokenizerHash() + "\n" + precision)
            .substring(0, 16);
    Path folder = cacheFolder.resolve("models").resolve(key);
    PreparedModel found = read(source, folder, cacheFolder);
    return found != null ? found : make(source, precision, folder, cacheFolder);
  }

  private static PreparedModel read(ModelSource source, Path folder, Path cacheFolder)
      throws IOException {
    Path note = folder.resolve("prepared");
    if (!Files.isRegularFile(note)) {
      return null;
    }
    List<String> lines =
        new String(Files.readAllBytes(note), StandardCharsets.UTF_8).lines().toList();
    Path tokenizer = folder.resolve("tokenizer.json");
    Path graph = folder.resolve("graph.onnx");
    if (lines.size() != 5
        || !lines.get(0).equals(FORMAT)
        || !lines.get(1).equals(onnxRuntimeVersion())
        || !lines.get(2).equals(hash(tokenizer, cacheFolder))) {
      return null;
    }
    if (lines.get(3).equals("original")) {
      return new PreparedModel(source.placement().locate().graph(), false, lines.get(4), tokenizer);
    }
    return lines.get(3).equals(hashes(graph, cacheFolder))
        ? new PreparedModel(graph, true, lines.get(4), tokenizer)
        : null;
  }

  private static PreparedModel make(
      ModelSource source, Precision precision, Path folder, Path cacheFolder) throws IOException {
    ModelSource.Location files = source.placement().locate();
    Files.createDirectories(folder);
    Path tokenizer = folder.resolve("tokenizer.json");
    byte[] definition = TokenizerFile.prepare(files.tokenizer());
    AtomicFile.replace(tokenizer, out -> out.write(definition));
    PreparedModel prepared;
    try (Tokenizer probes = Tokenizer.open(tokenizer, PROBE_TOKENS);
        TokenModel original = openOriginal(files.graph())) {
      prepared = rewrite(files.graph(), original, precision, folder.resolve("graph.onnx"), probes);
    } catch (OrtException e) {
      throw new EmbeddingException(
          "the model " + files.graph() + " fails on a short text: " + e.getMessage(), e);
    }
    String graphHash = prepared.fused ? hashes(prepared.graph, cacheFolder) : "original";
    List<String> note =
        List.of(
            FORMAT, onnxRuntimeVersion(), hash(tokenizer, cacheFolder), graphHash, prepared.why);
    AtomicFile.replace(
        folder.resolve("prepared"),
        out -> out.write(String.join("\n", note).getBytes(StandardCharsets.UTF_8)));
    return prepared;
  }

  private static TokenModel openOriginal(Path graph) {
    try {
      return new CpuModel(graph, false, Pooling.UNIT_MEAN);
    } catch (OrtException e) {
      throw new EmbeddingException(
          "the model %s cannot be loaded: %s. It is damaged or no ONNX file: replace it, or remove it to use the bundled model"
              .formatted(graph, e.getMessage()),
          e);
    }
  }

  private static PreparedModel rewrite(
      Path source, TokenModel original, Precision precision, Path target, Tokenizer probes)
      throws IOException, OrtException {
    Path tokenizer = target.resolveSibling("tokenizer.json");
    double bound = precision == Precision.FP32 ? FP32_BOUND : INT8_BOUND;
    float[][] expected = probe(original, probes);
    String why;
    try (OnnxFile file = OnnxFile.open(source)) {
      FusedGraph.write(file, precision, false, target);
      try (TokenModel fused =
          new CpuModel(target, precision == Precision.INT8, Pooling.UNIT_MEAN)) {
        double worst = ProbeTexts.worstCosine(expected, probe(fused, probes));
        if (worst >= bound) {
          why = String.format(Locale.ROOT, "cosine to the original at least %.6f", worst);
          return new PreparedModel(target, true, why, tokenizer);
        }
        why = String.format(Locale.ROOT, "the rewritten graph differs: cosine %.6f", worst);
      }
    } catch (OnnxFormatException e) {
      why = "the graph cannot be rewritten: " + e.getMessage();
    } catch (OrtException | EmbeddingException e) {
      why = "the rewritten graph does not run: " + e.getMessage();
    }
    Files.deleteIfExists(target);
    Files.deleteIfExists(FusedGraph.weightsOf(target));
    return new PreparedModel(source, false, why.replace('\n', ' '), tokenizer);
  }

  /** Vectors of the probe texts alone, then in padded batches where the model makes batches. */
  private static float[][] probe(TokenModel model, Tokenizer tokenizer) throws OrtException {
    List<int[]> ids = ProbeTexts.TEXTS.stream().map(tokenizer::ids).toList();
    List<float[]> vectors = ProbeTexts.alone(model, ids);
    int size = model.batchSize(PROBE_TOKENS);
    for (int from = 0; from < ids.size(); from += size) {
      List<int[]> batch = ids.subList(from, Math.min(ids.size(), from + size));
      vectors.addAll(List.of(model.embed(batch.toArray(int[][]::new))));
    }
    return vectors.toArray(float[][]::new);
  }

  static String hash(Path file, Path cacheFolder) throws IOException {
    return Files.isRegularFile(file) ? FileHashCache.of(file, cacheFolder) : "missing";
  }

  /** Of a rewritten graph and the file of its weights. */
  static String hashes(Path graph, Path cacheFolder) throws IOException {
    return hash(graph, cacheFolder) + " " + hash(FusedGraph.weightsOf(graph), cacheFolder);
  }

  static String onnxRuntimeVersion() {
    return OrtEnvironment.getEnvironment().getVersion();
  }
}
