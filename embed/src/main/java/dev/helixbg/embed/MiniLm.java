package dev.helixbg.embed;

import java.util.List;

/** The model all-MiniLM-L6-v2, which turns texts into vectors of 384 values. */
public record MiniLm(Tokenizer tokenizer, TokenBatches batches, Provenance provenance)
    implements Embedder {
  public static final int DIMENSION = 384;

  /** Number of texts that are tokenized before the first text is embedded; it bounds the memory. */
  private static final int WINDOW = 4096;

  /**
   * The network's format with the reason for this format, and the processor; {@code doctor} prints
   * the processor.
   */
  public record Provenance(String graph, String provider) {}

  /**
   * Returns the estimated cost of a text, in multiply-adds per value and layer. Each token takes 12
   * · 384 multiply-adds with weights. Each pair of tokens takes 2 multiply-adds in attention.
   * Multiply-adds in attention are slower: depending on engine and processor, the 2 take as long as
   * 3 to 11 multiply-adds with weights. Here, the 2 count as 5.
   */
  public static long work(long tokens) {
    return tokens * (12 * DIMENSION + 5 * tokens);
  }

  /** Returns the number of tokens that the model reads of a text, including two special tokens. */
  public int tokenCount(String text) {
    return tokenizer.ids(text).length;
  }

  @Override
  public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
    for (int from = 0; from < texts.size(); from += WINDOW) {
      int first = from;
      int count = Math.min(texts.size() - first, WINDOW);
      int[][] ids = batches.ids(count, i -> tokenizer.ids(texts.get(first + i)));
      batches.run(ids, (i, vector) -> sink.accept(first + i, vector));
    }
  }

  @Override
  public void close() {
    batches.model().close();
    tokenizer.close();
  }
}
