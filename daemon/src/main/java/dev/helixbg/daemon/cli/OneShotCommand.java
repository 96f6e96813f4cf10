package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.TerminalProgress;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.PairModel;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.report.TerminalSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

public final class OneShotCommand extends JsonCommand {
  private final KbOption kb = KbOption.withArgument();
  private boolean sample;
  private Path copy;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Bring the report up to date once: read the log, embed new entries, compare all entries,"
            + " ask the language model, write the report.");
    to.add(options, kb);
    to.flag(
        "--sample",
        "Run on a sample knowledge base, which is created in the cache folder.",
        given -> sample = given);
    to.option(
        "--copy-report=FOLDER",
        "Copy report.html, report.md and report.json into FOLDER, too.",
        Path.class,
        given -> copy = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    if (sample && kb.named().isPresent()) {
      throw Failure.usage("--sample brings its own knowledge base; leave out " + kb.named().get());
    }
    if (copy != null) {
      ReportFolder.in(copy).check();
    }
    Settings settings = options.load().settings();
    EmbedderSource embedder = EmbeddingModel.locate(settings);
    try (KbStores stores = stores(settings)) {
      Kb chosen = sample ? Kb.sample(settings.cache()) : kb.locate(settings);
      embedder.prepareAhead();
      kb.refresh();
      KbStore store = stores.of(chosen);
      show(store, report(pipeline(settings, embedder), store), settings);
    }
  }

  private Pipeline pipeline(Settings settings, EmbedderSource embedder) {
    return new Pipeline(
        settings,
        embedder,
        Analysis::run,
        new RerankingStage(
            Optional.of(new PairModel(settings.cache(), settings.threads())),
            settings.threads(),
            TerminalProgress.on(console),
            warning -> console.warn("%s", warning)),
        new JudgingStage(
            settings, TerminalProgress.on(console), warning -> console.warn("%s", warning)),
        TerminalProgress.on(console));
  }

  private void show(KbStore store, String summary, Settings settings) throws IOException {
    if (!store.outputs().isWritable()) {
      console.warn("%s is not writable: the report is in %s", store.kb().folder(), store.folder());
    }
    if (copy != null) {
      store.outputs().copyReport(copy);
    }
    if (json) {
      Files.copy(store.outputs().kept().json(), console.json());
      return;
    }
    ReportFolder there = copy == null ? store.outputs().shown() : ReportFolder.in(copy);
    String told = summary + TerminalSummary.where(there.html().toString());
    console.coloured().print(console.colour() ? told : plain(told));
    kb.places(settings, store.kb()).ifPresent(places -> console.note("Files read: %s", places));
    if (sample) { // other commands find the sample only by its path
      tellWhatNext(store, " " + store.kb().folder());
    } else if (NotesKb.of(store.kb(), settings).isPresent()) {
      tellWhatNext(store, kb.again());
    }
  }

  private void tellWhatNext(KbStore store, String again) {
    console.note("To go through the findings one by one: helix-bg tidy%s", again);
    if (store.agentAnswers().all().isEmpty()) {
      console.note(
          "A coding agent or a chat judges pairs of entries better than helix-bg itself. To let it"
              + " judge: helix-bg study --export FILE%s",
          again);
    }
  }

  private String report(Pipeline pipeline, KbStore store) throws InterruptedException {
    try (ProcessLock lock = store.lock()) {
      return new OneShotRun(pipeline)
          .run(
              store,
              (last, basis) -> last.basis().equals(basis) && last.questions() == 0,
              Optional.of(look -> tellOf(look.report(), store)))
          .summary();
    }
  }

  private void tellOf(Report firstLook, KbStore store) {
    String words =
        console.animated()
            ? plain(TerminalSummary.render(firstLook))
            : firstLook.firstLook().orElseThrow().words();
    words.lines().forEach(line -> console.note("%s", line));
    console.note("First look (an early report): %s", store.outputs().shown().html());
  }

  private static String plain(String coloured) {
    return coloured.replaceAll("\u001B\\[[0-9;]*m", "");
  }
}
