package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.OnnxFormatException;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * A prepared model in the cache folder: the network in the format that this processor runs, and the
 * definition of its tokenizer. A prepared model is made once. Before its first use, its results are
 * compared with known results. A small file (the note), written last, has the sizes of the other
 * files. If a file has another size than in the note, all files are made again.
 *
 * @param file the file to load: the rewritten network, or the original if it cannot be rewritten
 * @param why the reason for the file's format, in words
 */
record PreparedModel(Path file, CpuNetwork network, String why, Path tokenizer) {
  /** Format of the prepared files; must change when the code writes these files differently. */
  static final String FORMAT = "helix-bg prepared model 6";

  private static final String NOTE = "prepared";
  private static final int PROBE_TOKENS = 64;
  private static final double FP32_BOUND = 0.9999;
  private static final double SMOOTHED_BOUND = 0.99;
  private static final double INT8_BOUND = 0.98;

  /**
   * Maximum accepted difference between a pair judge's logit and the known fp32 value. On 103 real
   * pairs, the difference was at most 0.45.
   */
  private static final double LOGIT_BOUND = 1;

  private interface Making {
    PreparedModel of(Path export, PreparedModel wanted) throws IOException, OrtException;
  }

  static PreparedModel of(ModelSource source, CpuNetwork network, Path cacheFolder)
      throws IOException, OrtException {
    Path folder = folder(source, network, cacheFolder);
    return of(folder, source, network, cacheFolder, PreparedModel::rewritten);
  }

  /**
   * Prepares a pair judge: the bundled model with changed weights, in eight-bit arithmetic, which
   * is faster than fp32. With the judge of notes, this arithmetic does not change which pairs come
   * first in a report.
   *
   * @param hash hash of the judge's weights
   * @throws EmbeddingException when the logits on this machine differ too much from the known
   *     logits
   */
  static PreparedModel judge(PairReader.Kind kind, String hash, Path cacheFolder)
      throws IOException, OrtException {
    String key = Sha256.of(hash + "\n" + CpuNetwork.ofJudge().id()).substring(0, 16);
    return of(
        cacheFolder.resolve("models").resolve("judge-" + key),
        ModelSource.bundled(cacheFolder),
        CpuNetwork.ofJudge(),
        cacheFolder,
        (export, wanted) -> judge(export, wanted, PairWeights.bundled(kind)));
  }

  private static Path folder(ModelSource source, CpuNetwork network, Path cacheFolder) {
    String key =
        Sha256.of(source.graphHash() + "\n" + source.tokenizerHash() + "\n" + network.id())
            .substring(0, 16);
    return cacheFolder.resolve("models").resolve(key);
  }

  static boolean isThere(ModelSource source, CpuNetwork network, Path cacheFolder) {
    return Files.isRegularFile(folder(source, network, cacheFolder).resolve(NOTE));
  }

  // Synchronized, so that a second thread uses the model that the first thread has prepared.
  private static synchronized PreparedModel of(
      Path folder, ModelSource source, CpuNetwork network, Path cacheFolder, Making making)
      throws IOException, OrtException {
    PrivateFiles.makeTrustedFolder(cacheFolder, folder);
    Path tokenizer = folder.resolve("tokenizer.json");
    Path note = folder.resolve(NOTE);
    String[] lines =
        Files.isRegularFile(note)
            ? new String(Files.readAllBytes(note), StandardCharsets.UTF_8).split("\n", -1)
            : new String[0];
    String made = String.join(" ", FORMAT, NativeLibraries.VERSION, System.getProperty("os.arch"));
    if (lines.length == 4 && lines[0].equals(made)) {
      boolean isOriginal = lines[1].equals(CpuNetwork.EXPORTED.name());
      PreparedModel found =
          isOriginal
              ? new PreparedModel(source.locate().graph(), CpuNetwork.EXPORTED, lines[3], tokenizer)
              : new PreparedModel(network.in(folder), network, lines[3], tokenizer);
      if (lines[2].equals(found.sizes())) {
        return found;
      }
    }
    ModelSource.Location files = source.locate();
    byte[] definition = TokenizerFile.prepare(files.tokenizer());
    AtomicFile.replace(tokenizer, out -> out.write(definition));
    PreparedModel prepared =
        making.of(files.graph(), new PreparedModel(network.in(folder), network, "", tokenizer));
    String text = String.join("\n", made, prepared.network.name(), prepared.sizes(), prepared.why);
    AtomicFile.replace(note, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    return prepared;
  }

  /** Returns the files' sizes. Files are replaced whole: a file of the right size is complete. */
  private String sizes() throws IOException {
    StringJoiner sizes = new StringJoiner(" ");
    for (Path each : network.files(file)) {
      sizes.add(Files.isRegularFile(each) ? Long.toString(Files.size(each)) : "missing");
    }
    return sizes.add(Long.toString(Files.exists(tokenizer) ? Files.size(tokenizer) : 0)).toString();
  }

  /**
   * Returns the minimum accepted cosine between the vectors that {@code network} and the exported
   * network compute for a text.
   */
  static double bound(CpuNetwork network) {
    return switch (network) {
      case EXPORTED, FUSED, FINE_ENCODER -> FP32_BOUND;
      case SMOOTHED_ENCODER -> SMOOTHED_BOUND;
      case FUSED_INT8, ENCODER -> INT8_BOUND;
    };
  }

  private static PreparedModel rewritten(Path export, PreparedModel wanted) throws IOException {
    try (Tokenizer probes = Tokenizer.open(wanted.tokenizer, PROBE_TOKENS);
        TokenModel original = openOriginal(export)) {
      float[][] expected = probe(original, probes);
      String why;
      try (OnnxFile file = OnnxFile.open(export)) {
        wanted.network.write(file, false, wanted.file);
        try (TokenModel rewritten = wanted.open(Pooling.UNIT_MEAN)) {
          double worst = ProbeTexts.worstCosine(expected, probe(rewritten, probes));
          if (worst >= bound(wanted.network)) {
            why =
                String.format(
                    Locale.ROOT,
                    "vectors with a cosine of at least %.6f to the original model's",
                    worst);
            return new PreparedModel(wanted.file, wanted.network, why, wanted.tokenizer);
          }
          why =
              String.format(
                  Locale.ROOT,
                  "the rewritten graph computes different vectors (cosine %.6f)",
                  worst);
        }
      } catch (OnnxFormatException e) {
        why = "the graph cannot be rewritten: " + e.getMessage();
      } catch (OrtException | EmbeddingException e) {
        why = "the rewritten graph does not run: " + e.getMessage();
      }
      for (Path file : wanted.network.files(wanted.file)) {
        Files.deleteIfExists(file);
      }
      why = why.replace('\n', ' ');
      return new PreparedModel(export, CpuNetwork.EXPORTED, why, wanted.tokenizer);
    } catch (OrtException e) {
      throw new EmbeddingException(
          "the model " + export + " fails on a short text: " + e.getMessage(), e);
    }
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

  private static float[][] probe(TokenModel model, Tokenizer tokenizer) throws OrtException {
    List<int[]> ids = ProbeTexts.TEXTS.stream().map(tokenizer::ids).toList();
    List<float[]> vectors = new ArrayList<>();
    for (int[] alone : ids) {
      vectors.add(model.embed(new int[][] {alone})[0]);
    }
    int size = model.batchSize(PROBE_TOKENS);
    for (int from = 0; from < ids.size(); from += size) {
      List<int[]> batch = ids.subList(from, Math.min(ids.size(), from + size));
      vectors.addAll(Arrays.asList(model.embed(batch.toArray(int[][]::new))));
    }
    return vectors.toArray(float[][]::new);
  }

  private static PreparedModel judge(Path export, PreparedModel wanted, PairWeights weights)
      throws IOException, OrtException {
    try (OnnxFile file = OnnxFile.open(export)) {
      file.change(weights.layers(), weights.changes(), weights.tokenTypes());
      wanted.network.write(file, true, wanted.file);
    } catch (OnnxFormatException e) {
      throw new EmbeddingException(
          "the pair judge does not fit the bundled model: "
              + e.getMessage()
              + ". Reinstall helix-bg",
          e);
    }
    double worst = 0;
    try (TokenModel model = wanted.open(Pooling.FIRST);
        Tokenizer probes = CrossEncoder.openTokenizer(wanted)) {
      for (PairWeights.Probe probe : weights.probes()) {
        int[] ids = CrossEncoder.ids(probes, probe.older(), probe.newer());
        float[] found = weights.beginning().head().logits(model.embed(new int[][] {ids})[0]);
        for (int k = 0; k < found.length; k++) {
          worst = Math.max(worst, Math.abs(found[k] - probe.logits()[k]));
        }
      }
    }
    if (!(worst <= LOGIT_BOUND)) {
      throw new EmbeddingException(
          String.format(
              Locale.ROOT,
              "the pair judge computes unexpected results on this machine: logits are off by %.3f",
              worst));
    }
    return wanted;
  }

  TokenModel open(Pooling pooling) throws IOException, OrtException {
    return network.open(file, pooling);
  }
}
