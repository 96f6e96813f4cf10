package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import java.util.List;

/** A handful of texts, short to long, on which two ways to run a model are compared. */
final class ProbeTexts {

  static final List<String> TEXTS =
      List.of(
          "",
          "retry",
          "The worker acknowledges a message only after its transaction has committed.",
          "Connection pools: size = cores * 2. Beyond that, p99 grows because PostgreSQL"
              + " switches between backends more often than it makes progress.",
          "Gotcha: `SELECT … FOR UPDATE SKIP LOCKED` returns rows in index order, not in the"
              + " order of insertion; two consumers that expect FIFO will see messages swap"
              + " places. We sort by (priority, id) after the fetch, and the batch is small"
              + " enough (64 rows) that nobody notices. See queue/consumer.go:118.",
          "größte Änderung: 日本語 текст 🙂 mixed with identifiers like snake_case_name,"
              + " camelCaseName and paths /usr/local/etc");

  private ProbeTexts() {}

  /** Each text alone. */
  static float[][] embed(TokenModel model, Tokenizer tokenizer) throws OrtException {
    float[][] vectors = new float[TEXTS.size()][];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = model.embed(new int[][] {tokenizer.ids(TEXTS.get(i))})[0];
    }
    return vectors;
  }

  /** Of two lists of vectors; NaN when they are not as many, or not as long. */
  static double worstCosine(float[][] some, float[][] others) {
    double worst = some.length == others.length ? 1 : Double.NaN;
    for (int i = 0; i < some.length && !Double.isNaN(worst); i++) {
      worst =
          some[i].length == others[i].length
              ? Math.min(worst, Cosine.of(some[i], others[i]))
              : Double.NaN;
    }
    return worst;
  }
}
