package dev.helixbg.embed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Runs a model over many sequences of tokens, sorted by length and cut into batches, each padded to
 * its longest sequence. The number of threads never changes a bit of a vector.
 */
record TokenBatches(TokenModel model, int threads) {
  private static final int TEXTS_PER_STEP = 16;

  /**
   * Maximum number of texts that are not divided among threads. Dividing so few texts saves no
   * time, because each batch reads all weights.
   */
  private static final int FEW = 16;

  int[][] ids(int texts, IntFunction<int[]> ids) throws InterruptedException {
    int[][] all = new int[texts][];
    ParallelLoop.run(
        threads,
        Math.ceilDiv(texts, TEXTS_PER_STEP),
        step -> {
          int end = Math.min(texts, (step + 1) * TEXTS_PER_STEP);
          for (int i = step * TEXTS_PER_STEP; i < end; i++) {
            all[i] = ids.apply(i);
          }
        });
    return all;
  }

  /** Passes each sequence's vector and index to the sink, which one thread calls at a time. */
  void run(int[][] ids, Embedder.VectorSink sink) throws InterruptedException {
    List<int[]> batches = batches(ids);
    ParallelLoop.run(
        model.callers(threads),
        batches.size(),
        number -> {
          int[] batch = batches.get(number);
          int[][] texts = Arrays.stream(batch).mapToObj(text -> ids[text]).toArray(int[][]::new);
          float[][] vectors = model.embed(texts);
          synchronized (batches) {
            for (int i = 0; i < batch.length; i++) {
              sink.accept(batch[i], vectors[i]);
            }
          }
        });
  }

  /**
   * Groups the indices of the texts into batches, the longest texts first. If there are more than
   * {@link #FEW} texts, a batch gets at most half of them, so that two threads have work.
   */
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
}
