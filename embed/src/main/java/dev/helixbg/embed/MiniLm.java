package dev.helixbg.embed;

import java.util.List;

/** The model all-MiniLM-L6-v2, which turns texts into vectors of 384 values. */
public final class MiniLm implements Embedder {

  /** Number of values of a vector. */
  public static final int DIMENSION = 384;

  /**
   * Number of texts that are tokenized before the first one is embedded; bounds the memory needed.
   */
  private static final int WINDOW = 4096;

  private final Tokenizer tokenizer;
  private final TokenModel model;
  private final TokenBatches batches;
  private final Provenance provenance;

  /**
   * Description of network and processor that {@code doctor} prints.
   *
   * @param graph the network that runs, and the reason
   * @param provider the processor that runs the network, and the reason
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
   * Returns the cost of a text of {@code tokens} tokens, in multiply-adds per value and layer. The
   * weights cost 12 · 384 for each token. Attention costs 2 for each pair of tokens, which take the
   * time of 3 to 11, depending on engine and processor.
   */
  public static long work(long tokens) {
    return tokens * (12 * DIMENSION + 5 * tokens);
  }

  /**
   * Returns the number of tokens of a text that the model reads, its two special tokens included.
   */
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
