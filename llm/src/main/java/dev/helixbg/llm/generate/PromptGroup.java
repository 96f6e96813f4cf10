package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.KvCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Prompts that are read in one pass, each in its own fork of a shared sequence. A prompt that is
 * too long for one pass forms a group alone, and earlier passes read its beginning.
 */
final class PromptGroup implements AutoCloseable {
  private final ForwardPasses work;
  private final List<int[]> prompts;
  private final List<KvCache> caches = new ArrayList<>();

  PromptGroup(ForwardPasses work, List<int[]> prompts) {
    this.work = work;
    this.prompts = prompts;
  }

  /**
   * Returns the index after the last prompt of the group that begins with prompt {@code first}. A
   * group has as many prompts as fit into one pass, together with {@code moreRows} further rows
   * (tokens) per prompt.
   *
   * @param spans number of ranges of consecutive positions into which the further rows of one
   *     prompt are divided; the logits of each range's last row are needed
   */
  static int end(ForwardPasses work, List<int[]> prompts, int first, int moreRows, int spans) {
    work.clear();
    int rows = work.promptTokens();
    int most = first + Math.max(1, work.batch.freeWanted() / (1 + spans));
    int to = first;
    while (to < prompts.size()
        && to < most
        && (to == first || prompts.get(to).length + moreRows <= rows)) {
      rows -= prompts.get(to++).length + moreRows;
    }
    return to;
  }

  /** Empties the batch and adds the prompts; row i of the logits will belong to prompt i. */
  void add(KvCache shared, BooleanSupplier cancelled) {
    prompts.forEach(prompt -> caches.add(shared.fork(shared.length())));
    int[] first = prompts.getFirst();
    work.clear();
    int tail = Math.min(first.length, work.promptTokens());
    if (tail < first.length) {
      int[] head = Arrays.copyOf(first, first.length - tail);
      work.read(caches.getFirst(), head, false, cancelled);
      work.clear();
    }
    work.add(caches.getFirst(), first, first.length - tail, tail, 1, 0);
    for (int i = 1; i < prompts.size(); i++) {
      work.add(caches.get(i), prompts.get(i), 0, prompts.get(i).length, 1, 0);
    }
  }

  int size() {
    return prompts.size();
  }

  KvCache cache(int i) {
    return caches.get(i);
  }

  @Override
  public void close() {
    caches.forEach(KvCache::close);
  }
}
