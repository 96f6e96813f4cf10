package dev.helixbg.daemon.host;

import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairSource;
import java.util.List;

/** Keeps the pair judges (models that read two entries) loaded between uses. */
public final class PairHost extends ModelHost<PairReader> implements PairSource {
  private final PairSource source;

  public PairHost(PairSource source, DaemonClock clock) {
    super(source::open, PairReader::close, clock);
    this.source = source;
  }

  @Override
  public Judge judge() {
    return source.judge();
  }

  /** Returns a reader that uses the pair judges, which stay loaded. */
  @Override
  public PairReader open() {
    Use use = new Use();
    return new PairReader() {
      @Override
      public void read(List<Texts> pairs, Sink sink) throws InterruptedException {
        use.model.read(pairs, sink);
      }

      @Override
      public void close() {
        use.close();
      }
    };
  }
}
