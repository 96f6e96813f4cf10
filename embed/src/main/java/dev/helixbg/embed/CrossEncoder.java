package dev.helixbg.embed;

import java.io.IOException;
import java.util.List;

/**
 * A pair judge: a cross-encoder (Nogueira and Cho 2019, "Passage Re-ranking with BERT") that reads
 * {@code [CLS] older [SEP] newer [SEP]}. It is MiniLM, trained to classify how two texts are
 * related.
 *
 * @param tokenizer tokenizer opened by {@link #openTokenizer}
 */
record CrossEncoder(Tokenizer tokenizer, TokenBatches batches, PairWeights.Head head)
    implements PairReader {
  /** Number of special tokens that the tokenizer adds to one text. */
  private static final int FRAME = 2;

  /**
   * Number of tokens at which the tokenizer cuts a text. It is one more than the judge reads, so
   * that the judge notices that a text is too long.
   */
  private static final int TOKENS = ROOM + FRAME + 1;

  private record Tokens(int[] ids, boolean olderWhole, boolean newerWhole) {}

  static Tokenizer openTokenizer(PreparedModel prepared) throws IOException {
    return Tokenizer.open(prepared.tokenizer(), TOKENS);
  }

  static int[] ids(Tokenizer tokenizer, String older, String newer) {
    return tokens(tokenizer, older, newer).ids;
  }

  private static Tokens tokens(Tokenizer tokenizer, String olderText, String newerText) {
    int[] older = tokenizer.ids(olderText);
    int[] newer = tokenizer.ids(newerText);
    int olderRead = Math.min(older.length - FRAME, ROOM);
    int newerRead = Math.min(newer.length - FRAME, ROOM);
    int[] ids = new int[olderRead + newerRead + FRAME + 1];
    int separator = older[older.length - 1];
    System.arraycopy(older, 0, ids, 0, 1 + olderRead);
    ids[1 + olderRead] = separator;
    System.arraycopy(newer, 1, ids, FRAME + olderRead, newerRead);
    ids[ids.length - 1] = separator;
    return new Tokens(ids, older.length - FRAME <= ROOM, newer.length - FRAME <= ROOM);
  }

  @Override
  public void read(List<Texts> pairs, Sink sink) throws InterruptedException {
    Tokens[] tokens = new Tokens[pairs.size()];
    int[][] ids =
        batches.ids(
            pairs.size(),
            i -> {
              tokens[i] = tokens(tokenizer, pairs.get(i).older(), pairs.get(i).newer());
              return tokens[i].ids;
            });
    batches.run(
        ids,
        (i, seen) ->
            sink.accept(
                i, new Reading(head.logits(seen), tokens[i].olderWhole, tokens[i].newerWhole)));
  }

  @Override
  public void close() {
    batches.model().close();
    tokenizer.close();
  }
}
