package dev.helixbg.embed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * all-MiniLM-L6-v2: texts to vectors of 384 values.
 *
 * <p>Texts are sorted by length and cut into batches that are padded to their longest text only.
 * The batches depend on the texts alone, never on the number of threads, and so do the vectors, to
 * the last bit.
 */
public final class MiniLm implements Embedder {

  /** Length of a vector. */
  public static final int DIMENSION = 384;

  /** Texts that are tokenized before the first of them is embedded; bounds the memory needed. */
  private static final int WINDOW = 4096;

  private static final int TEXTS_PER_STEP = 16;

  /** Texts that are not worth a second batch: each reads all weights of the model. */
  private static final int FEW = 16;

  private final Tokenizer tokenizer;
  private final TokenModel model;
  private final int threads;
  private final Provenance provenance;
  private final ReentrantLock sinkLock = new ReentrantLock();

  /**
   * How a model came to run as it does; for {@code doctor} and {@code embed-test}.
   *
   * @param graph which network runs, and why
   * @param provider where it runs, and why
   */
  public record Provenance(String graph, String provider) {}

  MiniLm(Tokenizer tokenizer, TokenModel model, int threads, Provenance provenance) {
    this.tokenizer = tokenizer;
    this.model = model;
    this.threads = threads;
    this.provenance = provenance;
  }

  public Provenance provenance() {
    return provenance;
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
    int[][] ids = new int[texts.size()][];
    int steps = Math.ceilDiv(ids.length, TEXTS_PER_STEP);
    ParallelLoop.run(
        threads,
        steps,
        step -> {
          int end = Math.min(ids.length, (step + 1) * TEXTS_PER_STEP);
          for (int i = step * TEXTS_PER_STEP; i < end; i++) {
            ids[i] = tokenizer.ids(texts.get(i));
          }
        });
    List<int[]> batches = batches(ids);
    ParallelLoop.run(
        model.callers(threads),
        batches.size(),
        batch -> embedBatch(batches.get(batch), ids, first, sink));
  }

  /** Indices of texts, longest first; where one or two batches would do, two of equal size. */
  private List<int[]> batches(int[][] ids) {
    Integer[] byLength = new Integer[ids.length];
    Arrays.setAll(byLength, i -> i);
    Arrays.sort(byLength, Comparator.comparingInt(i -> -ids[i].length));
    List<int[]> batches = new ArrayList<>();
    int most = model.callers(2) > 1 ? Math.max(FEW, Math.ceilDiv(ids.length, 2)) : ids.length;
    for (int from = 0; from < byLength.length; ) {
      int size = Math.min(model.batchSize(ids[byLength[from]].length), most);
      int to = Math.min(byLength.length, from + size);
      batches.add(Arrays.stream(byLength, from, to).mapToInt(i -> i).toArray());
      from = to;
    }
    return batches;
  }

  private void embedBatch(int[] batch, int[][] ids, int first, VectorSink sink) throws Exception {
    int[][] texts = Arrays.stream(batch).mapToObj(text -> ids[text]).toArray(int[][]::new);
    float[][] vectors = model.embed(texts);
    sinkLock.lock();
    try {
      for (int i = 0; i < batch.length; i++) {
        sink.accept(first + batch[i], vectors[i]);
      }
    } finally {
      sinkLock.unlock();
    }
  }
}
