package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.PairReader;

/** The pair judge by name, opened when there is something to read. */
public interface PairSource {
  /**
   * What is known of it before it is opened.
   *
   * @param id the same wherever the same texts get the same reading
   */
  record Judge(String id, PairCalibration calibration) {}

  /**
   * @throws EmbeddingException when it cannot be used: it is missing or damaged
   */
  Judge judge();

  /**
   * The caller closes it.
   *
   * @throws EmbeddingException when this machine cannot run it
   */
  PairReader open();

  /** The one that comes with the program, loaded anew by each {@link #open}. */
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
        return new Judge(model().id(), model().calibration());
      }

      @Override
      public PairReader open() {
        return model().open();
      }
    };
  }
}
