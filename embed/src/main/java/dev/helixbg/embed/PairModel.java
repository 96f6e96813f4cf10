package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.PairReader.Kind;
import java.nio.file.Path;

/**
 * The bundled pair judges before they are loaded: one for notes, one for facts. They run on the
 * CPU. A run that has no pairs to read needs only the judges' id and calibration, and loads no
 * native library.
 */
public final class PairModel implements PairSource {
  /**
   * Version of the code, as a part of the id. Change it whenever a new version of the code computes
   * different logits with the same weights. Differences in the last bits do not count.
   */
  private static final String RECIPE = "pair judge 2";

  private final Path cacheFolder;
  private final int threads;
  private Judge judge;

  /**
   * @param cacheFolder folder for files that helix-bg derives from models; created when needed
   * @param threads number of threads that read at once
   */
  public PairModel(Path cacheFolder, int threads) {
    this.cacheFolder = cacheFolder;
    this.threads = threads;
  }

  /** Reads the beginnings of the judges' files at the first call. */
  @Override
  public synchronized Judge judge() {
    if (judge == null) {
      PairWeights.Beginning notes = PairWeights.beginning(Kind.NOTES);
      PairWeights.Beginning facts = PairWeights.beginning(Kind.FACTS);
      String text =
          String.join("\n", RECIPE, PreparedModel.judgeNetwork().id(), notes.hash(), facts.hash());
      judge = new Judge(Sha256.of(text).substring(0, 32), notes.calibration(), facts.calibration());
    }
    return judge;
  }

  /** Returns a reader that loads each judge when the judge reads its first pair. */
  @Override
  public PairReader open() {
    return new PairJudges(this);
  }

  /**
   * Loads a pair judge. The first load takes seconds: it writes to the cache folder, and compares
   * the judge's logits with the logits that were computed after the training.
   *
   * @throws EmbeddingException when the pair judge cannot be loaded, or computes logits that differ
   *     too much
   */
  PairReader open(Kind kind) {
    return NativeLibraries.open(
        "the pair judge",
        cacheFolder,
        () -> {
          PairWeights.Beginning beginning = PairWeights.beginning(kind);
          PreparedModel prepared = PreparedModel.judge(kind, beginning.hash(), cacheFolder);
          return CrossEncoder.openTokenizer(prepared)
              .into(
                  tokenizer ->
                      new CrossEncoder(
                          tokenizer,
                          new TokenBatches(prepared.open(Pooling.FIRST), threads),
                          beginning.head()));
        });
  }
}
