package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.run.ModelTrial;
import dev.helixbg.daemon.service.Installation;
import dev.helixbg.daemon.service.ServiceHealth;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.llm.GpuApi;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class DoctorCommand extends JsonCommand {
  private static final String USE_THE_CPU = "set llm.backend = \"auto\", or \"cpu\"";
  private static final String NAME_A_LARGER = "name a larger model in the setting llm.model";
  private final KbOption kb = KbOption.withArgument();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Check the JDK, native libraries, models, GPU, knowledge base and permissions. Print a"
            + " remedy for each problem.");
    to.add(options, kb);
  }

  private final List<CheckLine> checks = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    kb.named(); // fails if two folders are named: a usage error
    look("java", "install JDK 25, and start helix-bg by its launcher", this::checkJava);
    for (GpuApi gpu : GpuApi.values()) {
      look(Json.word(gpu), USE_THE_CPU, () -> checkGpu(gpu));
    }
    look("settings", "correct that setting", () -> checkWith(options.load().settings()));
    look("service", "helix-bg service install", this::checkService);
    show(
        () -> Json.object().set("checks", CheckLine.toJson(checks)),
        () -> CheckLine.print(checks, console));
    return CheckLine.exitCode(checks).number();
  }

  private void checkWith(Settings settings) throws InterruptedException {
    ok("settings", "all valid; 'helix-bg config' shows them");
    checkOwn("cache folder", settings.cache(), "set another folder: cache = \"...\"");
    checkOwn("state folder", settings.state(), "set another folder: state = \"...\"");
    look(
        "embedding model",
        "repair the model, or set embed.models to an empty folder",
        () -> checkModel(settings));
    look(
        "language model",
        "repair the model, or set llm.model to another one",
        () -> checkLanguageModel(settings));
    checkKb(settings);
  }

  private interface Look {
    void take() throws InterruptedException;
  }

  private void look(String name, String remedy, Look look) throws InterruptedException {
    try {
      look.take();
    } catch (RuntimeException | Error e) {
      if (ErrorReporter.codeOf(e) == ExitCode.INTERRUPTED) {
        throw e;
      }
      problem(name, ErrorReporter.words(e), remedy);
    }
  }

  private void checkService() {
    UserDirectories locations = GlobalOptions.locations();
    checks.add(
        ServiceHealth.check(
            ServiceCommand.file(locations),
            DaemonHome.of(locations),
            Installation.find(locations.home())));
  }

  private void ok(String name, String detail) {
    checks.add(CheckLine.ok(name, detail));
  }

  private void note(String name, String detail, String remedy) {
    checks.add(CheckLine.note(name, detail, remedy));
  }

  private void problem(String name, String detail, String remedy) {
    checks.add(CheckLine.problem(name, detail, remedy));
  }

  private void checkJava() {
    ok(
        "java",
        "%s, %s %s, at %s"
            .formatted(
                System.getProperty("java.runtime.version"),
                System.getProperty("java.vendor"),
                System.getProperty("java.vm.name"),
                System.getProperty("java.home")));
    ok("vector api", CpuBackend.vectors());
  }

  /** Checks a GPU. A missing GPU is not a problem, because the CPU can run language models. */
  private void checkGpu(GpuApi gpu) {
    try (GpuDevice device = gpu.open()) {
      String driver = device.driver().isEmpty() ? "" : device.driver() + ", ";
      ok(
          Json.word(gpu),
          "%s, %s%,d MB for models".formatted(device.name(), driver, device.memoryBudget() >> 20));
    } catch (GpuException e) {
      ok(Json.word(gpu), e.getMessage() + "; language models run on the CPU");
    }
  }

  private void checkOwn(String name, Path folder, String remedy) {
    try {
      PrivateFiles.makeTrustedFolder(folder, folder);
      Files.delete(Files.createTempFile(folder, ".doctor", null));
      ok(name, folder + " is writable");
    } catch (IOException e) {
      problem(name, folder + " is not writable: " + PrivateFiles.reason(e), remedy);
    }
  }

  /** Opens the model and embeds a text, which loads every native library. */
  private void checkModel(Settings settings) throws InterruptedException {
    EmbeddingModel model = EmbeddingModel.locate(settings.embed(), settings.cache(), 1);
    try (MiniLm embedder = model.open()) {
      embedder.embedAll(List.of("Is anybody there?"));
      ok("embedding model", model.describe());
      ok("provider", embedder.provenance().provider());
      model
          .another(true)
          .flatMap(other -> other.triedAgainst(model))
          .ifPresent(tried -> ok("many texts", tried.why()));
    }
  }

  /** Opens the model and its tokenizer, which also finds a broken vocabulary. */
  private void checkLanguageModel(Settings settings) throws InterruptedException {
    Optional<LanguageModelFile> model = LanguageModelFile.locate(settings);
    LanguageModelFile.skipped(settings)
        .forEach(reason -> note("model not used", reason, "delete it, or set llm.model"));
    if (model.isEmpty()) {
      note(
          "language model",
          "none: a small classifier labels the entries, and the pair judge alone decides which"
              + " pairs the report shows first",
          "download a model: "
              + LanguageModelFile.download(settings)
              + " ('helix-bg fetch-models list' shows which models fit); or set llm.model");
      return;
    }
    try (Judge judge = model.get().open(settings)) {
      ok(
          "language model",
          "%s, %s: %s while it is loaded"
              .formatted(
                  model.get().file(),
                  judge.model().name(),
                  LanguageModelFile.memory(judge.model())));
      if (judge.model().backend() instanceof ScalarBackend) {
        CpuBackend.slowness().ifPresent(why -> note("processor", why, "use a faster processor"));
      }
    } catch (GpuException e) {
      problem("language model", e.getMessage(), USE_THE_CPU);
      return;
    }
    ModelTrial.ofJudge(settings, model.get())
        .known()
        .ifPresentOrElse(
            judge -> {
              String words = judge.words() + " " + judge.leads();
              trust("judge", words, judge.isGuessing(), NAME_A_LARGER);
            },
            () -> unmeasured("judge"));
    ModelTrial.ofReader(settings, model.get(), EmbeddingModel.locate(settings))
        .known()
        .ifPresentOrElse(
            reader -> trust("lessons", reader.words(), reader.isGuessing(), NAME_A_LARGER),
            () -> unmeasured("lessons"));
  }

  private void trust(String name, String words, boolean isGuessing, String remedy) {
    checks.add(isGuessing ? CheckLine.note(name, words, remedy) : CheckLine.ok(name, words));
  }

  private void unmeasured(String name) {
    note(
        name,
        "this model has not been measured yet",
        "run the daemon, which measures the model when it has nothing else to do");
  }

  private void checkKb(Settings settings) throws InterruptedException {
    Kb found;
    try {
      found = kb.find(settings);
    } catch (Failure e) {
      boolean isMeant = kb.named().isPresent() || settings.kb().isPresent();
      problem(
          "knowledge base",
          isMeant ? e.getMessage() : "none in ~/.helix-kb, ~/.helix or ~/.local/share/helix",
          isMeant ? "name another folder" : "set HELIX_KB, or kb in the settings file");
      return;
    }
    look("knowledge base", "name another folder", () -> checkLog(found));
    look("agents", "run helix-bg one-shot", () -> checkAgents(settings, found));
    if (Files.isWritable(found.folder())) {
      ok("kb folder", found.folder() + " is writable");
    } else {
      note(
          "kb folder",
          found.folder() + " is not writable",
          "reports on this knowledge base are written only into the state folder");
    }
  }

  private void checkAgents(Settings settings, Kb kb) {
    try (KbStores stores = new KbStores(settings, notice -> {})) {
      if (stores.contains(kb)) {
        for (AgentSayings.Trust agent : stores.of(kb).agents().clients()) {
          trust(
              "agent",
              agent.words(),
              agent.isGuessing(),
              "let another client or model answer the questions about pairs");
        }
      }
    }
  }

  private void checkLog(Kb kb) throws InterruptedException {
    LogAccount log = DataLog.readQuiet(kb.dataLog()).account();
    ok("knowledge base", kb.folder() + ", %,d entries".formatted(log.live()));
    if (!log.damage().isEmpty()) {
      note(
          "knowledge base",
          "its log is damaged in places",
          "run helix-bg verify to list the damaged places");
    }
  }
}
