package dev.helixbg.embed;

import java.util.List;

/** all-MiniLM-L6-v2: texts to vectors of 384 values. */
public final class MiniLm implements Embedder {

  /** Length of a vector. */
  public static final int DIMENSION = 384;

  /** Texts that are tokenized before the first of them is embedded; bounds the memory needed. */
  private static final int WINDOW = 4096;

  private final Tokenizer tokenizer;
  private final TokenModel model;
  private final TokenBatches batches;
  private final Provenance provenance;

  /**
   * How a model came to run as it does; for {@code doctor}.
   *
   * @param graph which network runs, and why
   * @param provider where it runs, and why
   */
  public record Provenance(String graph, String provider) {}

  MiniLm(Tokenizer tokenizer, TokenModel model, int threads, Provenance provenance) {
    this.tokenizer = tokenizer;
    this.model = model;
    this.batches = new TokenBatches(model, threads);
    this.provenance = provenance;
  }

  public Provenance provenance() {
    return provenance;
  }

  /**
   * Returns the cost of a text of {@code tokens} tokens, in multiply-adds with weights in one layer
   * for each of its values. A token costs 12 · 384. Attention has 2 for each other token, which
   * take as long as 3 to 11, by engine and processor.
   */
  public static long work(long tokens) {
    return tokens * (12 * DIMENSION + 5 * tokens);
  }

  /** How many tokens of a text the model sees, its two special tokens included. */
  public int tokenCount(String text) {
    return tokenizer.ids(text).length;
  }

  @Override
  public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
    for (int from = 0; from < texts.size(); from += WINDOW) {
      embedWindow(texts.subList(from, Math.min(texts.size(), from + WINDOW)), from, sink);
    }
  }

  @Override
  public void close() {
    model.close();
    tokenizer.close();
  }

  private void embedWindow(List<String> texts, int first, VectorSink sink)
      throws InterruptedException {
    int[][] ids = batches.ids(texts.size(), i -> tokenizer.ids(texts.get(i)));
    batches.run(ids, (i, vector) -> sink.accept(first + i, vector));
  }
}
