package dev.helixbg.daemon.host;

import dev.helixbg.embed.PairReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Keeps the pair judge loaded between uses, as {@link EmbedderHost} does the embedding model. */
public final class PairHost implements PairSource, AutoCloseable {
  private final PairSource source;
  private final ReleasedWhenIdle<PairReader> model;

  public PairHost(PairSource source, DaemonClock clock) {
    this.source = source;
    this.model = new ReleasedWhenIdle<>(source::open, clock);
  }

  @Override
  public Judge judge() {
    return source.judge();
  }

  /** A use of the model; closing it ends the use only. */
  @Override
  public PairReader open() {
    return new Use(model.begin());
  }

  /** Waits for nobody, not even while it is being loaded. */
  public boolean isLoaded() {
    return model.isLoaded();
  }

  /**
   * Releases the model when nobody used it for so long.
   *
   * @param idle empty: never
   * @return whether it was released now
   */
  public boolean releaseAfter(Optional<Duration> idle) {
    return model.releaseAfter(idle);
  }

  /** Releases the model, once the uses at hand have ended. */
  @Override
  public void close() {
    model.close();
  }

  private final class Use implements PairReader {
    private final PairReader reader;
    private boolean over;

    Use(PairReader reader) {
      this.reader = reader;
    }

    @Override
    public void read(List<Texts> pairs, Sink sink) throws InterruptedException {
      reader.read(pairs, sink);
    }

    @Override
    public void close() {
      if (!over) {
        over = true;
        model.end();
      }
    }
  }
}
