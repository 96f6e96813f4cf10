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
import java.util.function.Consumer;

/**
 * One run over one knowledge base, in reading order: log, vectors, findings, judgements, report.
 */
final class Pipeline {
  private final Settings settings;
  private final Progress.Display display;
  private final Consumer<String> warnings;

  /**
   * @param warnings is told, in a sentence, what went not as it should
   */
  Pipeline(Settings settings, Progress.Display display, Consumer<String> warnings) {
    this.settings = settings;
    this.display = display;
    this.warnings = warnings;
  }

  /**
   * @param report what was found
   * @param vectors how the vectors came about
   * @param asked questions that were put to the language model, not remembered
   */
  record Outcome(Report report, VectorUpdate.Result vectors, int asked) {}

  /**
   * @param save whether vectors and answers may be saved in the KB
   * @throws InterruptedException when interrupted; the vectors made and the answers given until
   *     then are saved
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
    Judging.Outcome judged =
        new Judging(settings, display, warnings).run(kb, findings, vectors.vectors(), model, save);
    Report.Run run = new Report.Run(Version.text(), model.describe());
    Report report = new Report(findings, log.account(), run, judged.judgements());
    return new Outcome(report, vectors, judged.asked());
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
