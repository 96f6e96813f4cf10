package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JudgeFlags;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.SampleKb;
import dev.helixbg.daemon.run.Judging;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.Saving;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.TerminalSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The main job: one run over one knowledge base. */
@Command(
    name = "one-shot",
    description =
        "Read the log, embed what is new, find what is worth telling, let the language model judge"
            + " it, write the report.")
public final class OneShotCommand implements Callable<Integer> {
  private static final int SUMMARY_WIDTH = 100;

  @Mixin private GlobalOptions options;

  @Parameters(
      arity = "0..1",
      paramLabel = "kb",
      description =
          "Folder of the knowledge base. Default: $HELIX_KB, else the first of ~/.helix-kb,"
              + " ~/.helix, ~/.local/share/helix with a data.log.")
  private Path kb;

  @Option(names = "--sample", description = "Run on the sample knowledge base.")
  private boolean sample;

  @Option(names = "--json", description = "Print the report as JSON.")
  private boolean json;

  @Option(names = "--no-report", description = "Write no report; just print.")
  private boolean noReport;

  @Mixin private JudgeFlags judge;

  private final Console console;

  OneShotCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (sample && kb != null) {
      throw new Failure(ExitCode.USAGE, "--sample brings its own knowledge base; leave out " + kb);
    }
    Settings settings = judge.settings(options);
    Kb chosen =
        sample
            ? SampleKb.unpack(settings.cache())
            : Kb.find(Optional.ofNullable(kb), settings, GlobalOptions.locations());
    Pipeline pipeline =
        new Pipeline(
            settings,
            EmbedderSource.located(settings),
            Analysis::run,
            new Judging(settings, Progress.on(console), warning -> console.warn("%s", warning)),
            Progress.on(console));
    print(noReport ? look(pipeline, chosen) : report(pipeline, chosen), chosen);
    return ExitCode.OK.number();
  }

  private Pipeline.Outcome report(Pipeline pipeline, Kb chosen) throws InterruptedException {
    KbIdentity here = KbIdentity.of(chosen);
    try (KbLock lock = KbLock.take(chosen)) {
      Pipeline.Outcome outcome = pipeline.run(chosen, Saving.PUBLISHED);
      here.check();
      ReportFolder.of(chosen).write(outcome.report());
      return outcome;
    }
  }

  /** Works on a knowledge base that cannot be written, too; then the vectors are not kept. */
  private Pipeline.Outcome look(Pipeline pipeline, Kb chosen) throws InterruptedException {
    if (!Files.isWritable(chosen.folder())) {
      console.warn("%s is not writable: the vectors are not kept", chosen.folder());
      return pipeline.run(chosen, Saving.NOTHING);
    }
    try (KbLock lock = KbLock.take(chosen)) {
      return pipeline.run(chosen, Saving.PUBLISHED);
    }
  }

  private void print(Pipeline.Outcome outcome, Kb chosen) throws IOException {
    outcome
        .vectors()
        .rebuilt()
        .ifPresent(reason -> console.warn("the vectors were made anew: %s", reason));
    if (json) {
      JsonReport.write(outcome.report(), console.json());
    } else {
      String where = noReport ? "" : ReportFolder.of(chosen).html().toString();
      console
          .coloured()
          .print(TerminalSummary.render(outcome.report(), where, SUMMARY_WIDTH, console.colour()));
    }
  }
}
