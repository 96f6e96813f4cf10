package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/** One run over one knowledge base, in reading order: log, vectors, findings, report. */
final class Pipeline {
  private final Settings settings;
  private final Progress.Display display;

  Pipeline(Settings settings, Progress.Display display) {
    this.settings = settings;
    this.display = display;
  }

  /**
   * @param report what was found
   * @param vectors how the vectors came about
   */
  record Outcome(Report report, VectorUpdate.Result vectors) {}

  /**
   * @param save whether the vectors may be saved in the KB
   * @throws InterruptedException when interrupted; the vectors made until then are saved
   */
  Outcome run(Kb kb, boolean save) throws InterruptedException {
    LogReading log = DataLog.readQuiet(kb.dataLog());
    EmbeddingModel model = EmbeddingModel.locate(settings.embed(), settings.cache());
    VectorUpdate update =
        new VectorUpdate(
            new EmbeddingCache(kb.folder()),
            model.id(),
            () -> model.open(settings.threads()),
            display);
    VectorUpdate.Result vectors = update.run(log.entries(), save);
    Findings findings =
        Analysis.run(
            log.entries(),
            vectors.keys().stream().map(TextKey::hex).toList(),
            matrix(vectors.vectors()),
            settings.insight(),
            settings.threads());
    Report.Run run = new Report.Run(Version.text(), model.describe());
    return new Outcome(new Report(findings, log.account(), run), vectors);
  }

  private static Vectors matrix(List<float[]> rows) {
    int dimension = rows.isEmpty() ? 1 : rows.getFirst().length;
    float[] values = new float[Math.multiplyExact(rows.size(), dimension)];
    for (int i = 0; i < rows.size(); i++) {
      System.arraycopy(rows.get(i), 0, values, i * dimension, dimension);
    }
    return new Vectors(rows.size(), dimension, values);
  }
}
