package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.OnnxFormatException;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.FileHashCache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * A model made ready once, in the cache folder: its graph rewritten, compared with the original,
 * and its tokenizer definition. A note written last vouches for these files; without a note that
 * fits them they are made again.
 *
 * @param file what to load: the rewritten graph, or the original where the rewrite failed
 * @param network what it is
 * @param why for people
 * @param tokenizer the prepared definition
 */
record PreparedModel(Path file, CpuNetwork network, String why, Path tokenizer) {

  /** Raise the number whenever {@link CpuNetwork} or {@link TokenizerFile} write something else. */
  private static final String FORMAT = "helix-bg prepared model 3";

  private static final String NOTE = "prepared";
  private static final int PROBE_TOKENS = 64;
  private static final double FP32_BOUND = 0.9999;
  static final double INT8_BOUND = 0.98;

  /**
   * @param network that is wanted
   */
  static PreparedModel of(ModelSource source, CpuNetwork network, Path cacheFolder)
      throws IOException {
    Path folder = folder(source, network, cacheFolder);
    PrivateFiles.makeTrustedFolder(cacheFolder, folder);
    PreparedModel found = read(source, network, folder, cacheFolder);
    return found != null ? found : make(source, network, folder, cacheFolder);
  }

  private static Path folder(ModelSource source, CpuNetwork network, Path cacheFolder) {
    String key =
        Sha256.of(source.graphHash() + "\n" + source.tokenizerHash() + "\n" + network.id())
            .substring(0, 16);
    return cacheFolder.resolve("models").resolve(key);
  }

  /** Whether it was made once. */
  static boolean isThere(ModelSource source, CpuNetwork network, Path cacheFolder) {
    return Files.isRegularFile(folder(source, network, cacheFolder).resolve(NOTE));
  }

  private static PreparedModel read(
      ModelSource source, CpuNetwork network, Path folder, Path cacheFolder) throws IOException {
    Path note = folder.resolve(NOTE);
    if (!Files.isRegularFile(note)) {
      return null;
    }
    List<String> lines =
        new String(Files.readAllBytes(note), StandardCharsets.UTF_8).lines().toList();
    Path tokenizer = folder.resolve("tokenizer.json");
    Path file = network.in(folder);
    if (lines.size() != 5
        || !lines.get(0).equals(FORMAT)
        || !lines.get(1).equals(NativeLibraries.VERSION)
        || !lines.get(2).equals(hash(tokenizer, cacheFolder))) {
      return null;
    }
    if (lines.get(3).equals("original")) {
      return new PreparedModel(
          source.placement().locate().graph(), CpuNetwork.EXPORTED, lines.get(4), tokenizer);
    }
    return lines.get(3).equals(hashes(network, file, cacheFolder))
        ? new PreparedModel(file, network, lines.get(4), tokenizer)
        : null;
  }

  private static PreparedModel make(
      ModelSource source, CpuNetwork network, Path folder, Path cacheFolder) throws IOException {
    ModelSource.Location files = source.placement().locate();
    Path tokenizer = folder.resolve("tokenizer.json");
    byte[] definition = TokenizerFile.prepare(files.tokenizer());
    AtomicFile.replace(tokenizer, out -> out.write(definition));
    PreparedModel prepared;
    try (Tokenizer probes = Tokenizer.open(tokenizer, PROBE_TOKENS);
        TokenModel original = openOriginal(files.graph())) {
      prepared = rewrite(files.graph(), original, network, network.in(folder), probes);
    } catch (OrtException e) {
      throw new EmbeddingException(
          "the model " + files.graph() + " fails on a short text: " + e.getMessage(), e);
    }
    String hashes =
        prepared.network == CpuNetwork.EXPORTED
            ? "original"
            : hashes(network, prepared.file, cacheFolder);
    List<String> note =
        List.of(
            FORMAT, NativeLibraries.VERSION, hash(tokenizer, cacheFolder), hashes, prepared.why);
    AtomicFile.replace(
        folder.resolve(NOTE),
        out -> out.write(String.join("\n", note).getBytes(StandardCharsets.UTF_8)));
    return prepared;
  }

  private static TokenModel openOriginal(Path graph) {
    try {
      return new CpuNetwork.CpuModel(graph, false, Pooling.UNIT_MEAN);
    } catch (OrtException e) {
      throw new EmbeddingException(
          "the model %s cannot be loaded: %s. It is damaged or no ONNX file: replace it, or remove it to use the bundled model"
              .formatted(graph, e.getMessage()),
          e);
    }
  }

  /** The least cosine to the original. */
  static double bound(CpuNetwork network) {
    return switch (network) {
      case EXPORTED, FUSED, FINE_ENCODER -> FP32_BOUND;
      case FUSED_INT8, ENCODER -> INT8_BOUND;
    };
  }

  private static PreparedModel rewrite(
      Path source, TokenModel original, CpuNetwork network, Path target, Tokenizer probes)
      throws IOException, OrtException {
    Path tokenizer = target.resolveSibling("tokenizer.json");
    double bound = bound(network);
    float[][] expected = probe(original, probes);
    String why;
    try (OnnxFile file = OnnxFile.open(source)) {
      network.write(file, false, target);
      try (TokenModel rewritten = network.open(target, Pooling.UNIT_MEAN)) {
        double worst = ProbeTexts.worstCosine(expected, probe(rewritten, probes));
        if (worst >= bound) {
          why = String.format(Locale.ROOT, "cosine to the original at least %.6f", worst);
          return new PreparedModel(target, network, why, tokenizer);
        }
        why = String.format(Locale.ROOT, "the rewritten graph differs: cosine %.6f", worst);
      }
    } catch (OnnxFormatException e) {
      why = "the graph cannot be rewritten: " + e.getMessage();
    } catch (OrtException | EmbeddingException e) {
      why = "the rewritten graph does not run: " + e.getMessage();
    }
    for (Path file : network.files(target)) {
      Files.deleteIfExists(file);
    }
    return new PreparedModel(source, CpuNetwork.EXPORTED, why.replace('\n', ' '), tokenizer);
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

  /** Returns the hashes of all files of a network. */
  static String hashes(CpuNetwork network, Path file, Path cacheFolder) throws IOException {
    StringJoiner hashes = new StringJoiner(" ");
    for (Path each : network.files(file)) {
      hashes.add(hash(each, cacheFolder));
    }
    return hashes.toString();
  }
}
