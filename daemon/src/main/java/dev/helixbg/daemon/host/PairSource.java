package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairReader;

/** Source of the pair judges, which are opened only when pairs must be read. */
public interface PairSource {
  /** Properties of the pair judges; judges with the same id give the same results. */
  record Judge(String id, PairCalibration ofNotes, PairCalibration ofFacts) {}

  /**
   * Returns the properties of the pair judges.
   *
   * @throws EmbeddingException when a pair judge is missing or has another format
   */
  Judge judge();

  /**
   * Opens the pair judges, which the caller closes.
   *
   * @throws EmbeddingException when this machine cannot run the pair judges
   */
  PairReader open();

  /** Returns the source of the bundled pair judges, which each {@link #open} loads again. */
  static PairSource located(Settings settings) {
    return new PairSource() {
      private PairModel model;

      private synchronized PairModel model() {
        if (model == null) {
          model = PairModel.locate(settings.cache(), settings.threads());
        }
        return model;
      }

      @Override
      public Judge judge() {
        return new Judge(model().id(), model().ofNotes(), model().ofFacts());
      }

      @Override
      public PairReader open() {
        return model().open();
      }
    };
  }
}
