package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.embed.onnx.OnnxFile;
import dev.helixbg.embed.onnx.OnnxFormatException;
import dev.helixbg.embed.onnx.PatchedExport;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The pair judge made ready once, in the cache folder: the bundled export with changed weights, the
 * same rewritten for this processor, and the tokenizer's definition. A note written last says that
 * this machine computes the logits that are expected; without a note that fits, all is made again.
 *
 * @param export with changed weights; there only where CoreML may run it
 * @param file {@link #NETWORK} makes of it
 * @param tokenizer the prepared definition
 */
record PreparedPairModel(Path export, Path file, Path tokenizer) {
  /** Raise the number whenever something else is written. */
  private static final String FORMAT = "helix-bg prepared pair judge 5";

  /** In eight bits: what leads is the same as in fp32, and it is read faster. */
  static final CpuNetwork NETWORK = CpuNetwork.of(Precision.INT8);

  /** How far a logit may be from the expected one, which fp32 computed; on 103 real pairs 0.45. */
  private static final double BOUND = 1;

  /** Pairs on which two ways to run it are compared. */
  private static final int WINDOW = 32;

  /**
   * @param exported whether the export is wanted, too
   * @throws EmbeddingException when this machine computes other logits than those expected
   */
  static PreparedPairModel of(
      ModelSource source, PairWeights weights, boolean exported, Path cacheFolder)
      throws IOException, OrtException {
    String key = Sha256.of(weights.hash() + "\n" + NETWORK.id()).substring(0, 16);
    Path folder = cacheFolder.resolve("models").resolve("judge-" + key);
    PrivateFiles.makeTrustedFolder(cacheFolder, folder);
    PreparedPairModel prepared =
        new PreparedPairModel(
            folder.resolve("export.onnx"), NETWORK.in(folder), folder.resolve("tokenizer.json"));
    Path note = folder.resolve("prepared");
    if (!Files.isRegularFile(note)
        || !Files.readString(note).equals(prepared.note(exported, cacheFolder))) {
      prepared.make(source.placement().locate(), weights, exported);
      String text = prepared.note(exported, cacheFolder);
      AtomicFile.replace(note, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }
    return prepared;
  }

  private String note(boolean exported, Path cacheFolder) throws IOException {
    return String.join(
        "\n",
        FORMAT,
        NativeLibraries.VERSION,
        System.getProperty("os.arch"),
        PreparedModel.hash(tokenizer, cacheFolder),
        PreparedModel.hashes(NETWORK, file, cacheFolder),
        exported ? PreparedModel.hash(export, cacheFolder) : "");
  }

  private void make(ModelSource.Location files, PairWeights weights, boolean exported)
      throws IOException, OrtException {
    byte[] definition = TokenizerFile.prepare(files.tokenizer());
    AtomicFile.replace(tokenizer, out -> out.write(definition));
    try (OnnxFile bundled = OnnxFile.open(files.graph())) {
      AtomicFile.replace(
          export,
          out ->
              PatchedExport.write(
                  bundled, weights.layers(), weights.changes(), weights.tokenTypes(), out));
      try (OnnxFile changed = OnnxFile.open(export)) {
        NETWORK.write(changed, true, file);
      }
    } catch (OnnxFormatException e) {
      throw new EmbeddingException(
          "the pair judge does not fit the bundled model: " + e.getMessage() + ". Reinstall", e);
    }
    if (!exported) {
      Files.delete(export);
    }
    try (TokenModel model = onCpu();
        Tokenizer probes = CrossEncoder.tokenizer(this)) {
      check(weights, ProbeTexts.alone(model, ids(weights, probes)));
    }
  }

  /** Its readings do not depend on their neighbours. */
  TokenModel onCpu() throws IOException, OrtException {
    return NETWORK.open(file, Pooling.FIRST);
  }

  /** Returns what the head sees of many pairs, on all threads, as a real run reads them. */
  static float[][] window(PairWeights weights, TokenModel model, Tokenizer tokenizer, int threads)
      throws InterruptedException {
    List<int[]> probes = ids(weights, tokenizer);
    int[][] ids = new int[WINDOW][];
    Arrays.setAll(ids, i -> probes.get(i % probes.size()));
    float[][] seen = new float[WINDOW][];
    new TokenBatches(model, threads).run(ids, (i, vector) -> seen[i] = vector);
    return seen;
  }

  private static List<int[]> ids(PairWeights weights, Tokenizer tokenizer) {
    return weights.probes().stream()
        .map(probe -> new PairReader.Texts(probe.older(), probe.newer()))
        .map(texts -> CrossEncoder.ids(tokenizer, texts))
        .toList();
  }

  private static void check(PairWeights weights, List<float[]> seen) {
    double worst = 0;
    for (int i = 0; i < seen.size(); i++) {
      float[] expected = weights.probes().get(i).logits();
      float[] found = weights.logits(seen.get(i));
      for (int k = 0; k < found.length; k++) {
        worst = Math.max(worst, Math.abs(found[k] - expected[k]));
      }
    }
    if (!(worst <= BOUND)) {
      throw new EmbeddingException(
          String.format(
              Locale.ROOT,
              "the pair judge computes something else on this machine: logits are off by %.3f",
              worst));
    }
  }
}
