package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.PairReader.Kind;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The bundled pair judges, for notes and for facts, before they are loaded. A run without pairs to
 * read needs only their id and calibration, and loads no native library.
 */
public final class PairModel implements PairSource {
  /** Part of the judges' id; its number must rise when logits change by more than the last bits. */
  private static final String RECIPE = "pair judge 2";

  private final Path cacheFolder;
  private final int threads;
  private Judge judge;

  /**
   * @param cacheFolder folder for files derived from models; created when needed
   * @param threads number of threads that read at once
   */
  public PairModel(Path cacheFolder, int threads) {
    this.cacheFolder = cacheFolder;
    this.threads = threads;
  }

  @Override
  public synchronized Judge judge() {
    if (judge == null) {
      PairWeights.Beginning notes = PairWeights.beginning(Kind.NOTES);
      PairWeights.Beginning facts = PairWeights.beginning(Kind.FACTS);
      String text =
          String.join("\n", RECIPE, CpuNetwork.ofJudge().id(), notes.hash(), facts.hash());
      judge = new Judge(Sha256.of(text).substring(0, 32), notes.calibration(), facts.calibration());
    }
    return judge;
  }

  @Override
  public PairReader open() {
    return new Judges();
  }

  private final class Judges implements PairReader {
    private final Map<Kind, PairReader> open = new EnumMap<>(Kind.class);

    @Override
    public void read(List<Texts> pairs, Sink sink) throws InterruptedException {
      for (Kind kind : Kind.values()) {
        int[] places =
            IntStream.range(0, pairs.size()).filter(i -> pairs.get(i).kind() == kind).toArray();
        if (places.length > 0) {
          List<Texts> some = IntStream.of(places).mapToObj(pairs::get).toList();
          judge(kind).read(some, (index, reading) -> sink.accept(places[index], reading));
        }
      }
    }

    private synchronized PairReader judge(Kind kind) {
      return open.computeIfAbsent(kind, PairModel.this::open);
    }

    @Override
    public synchronized void close() {
      open.values().forEach(PairReader::close);
      open.clear();
    }
  }

  /**
   * Loads a judge; the first time, this takes seconds and compares its logits with known logits.
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
