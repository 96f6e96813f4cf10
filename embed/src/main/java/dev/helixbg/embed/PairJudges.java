package dev.helixbg.embed;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The pair judges of all kinds of texts. Each is loaded when it reads its first pair. */
final class PairJudges implements PairReader {
  private final PairModel model;
  private final Map<Kind, PairReader> open = new EnumMap<>(Kind.class);

  PairJudges(PairModel model) {
    this.model = model;
  }

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
    return open.computeIfAbsent(kind, model::open);
  }

  @Override
  public synchronized void close() {
    open.values().forEach(PairReader::close);
    open.clear();
  }
}
