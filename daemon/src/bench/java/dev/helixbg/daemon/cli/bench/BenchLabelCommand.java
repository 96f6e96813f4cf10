package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.JsonCommand;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.judge.LabelBench;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.bench.LlmBench;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Measures how fast this machine labels entries. */
final class BenchLabelCommand extends JsonCommand {
  private static final int PROMPT_TOKENS = 512;
  private final ModelFlags flags = new ModelFlags();
  private final BenchModel model = new BenchModel();
  private int entries;
  private int alone;
  private int repetitions;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Measure how many entries per second the language model labels in a run. Compare with"
            + " labelling one entry at a time, which reads the whole prompt for each entry, and"
            + " with the limit that the reading speed of prompts sets.");
    to.add(options, flags);
    to.addOneOf(model);
    to.option(
        "--entries=N",
        "Number of entries, of 100 to 250 tokens each (default: ${DEFAULT-VALUE}).",
        200,
        given -> entries = given);
    to.option(
        "--alone=N",
        "Number of entries that are labelled one at a time (default: ${DEFAULT-VALUE}).",
        44,
        given -> alone = given);
    to.option(
        "-r, --repetitions=N",
        "Number of measurements of the reading speed (default: ${DEFAULT-VALUE}).",
        5,
        given -> repetitions = given);
  }

  @Override
  protected void run() throws IOException {
    if (entries < 1 || alone < 1 || repetitions < 1) {
      throw new Failure(ExitCode.USAGE, "--entries, --alone and -r must be 1 or more");
    }
    Settings settings = flags.settings(options);
    ModelOptions asJudged = flags.options(settings, 1).reading(LanguageModelFile.PASS_ROWS);
    try (TextModel opened = ModelOpener.open(model.file(settings), asJudged)) {
      BooleanSupplier cancelled = Thread.currentThread()::isInterrupted;
      LlmBench prompts = new LlmBench(opened, 1, settings.threads(), cancelled, Optional.empty());
      LabelBench.Result bench =
          new LabelBench(opened, entries, cancelled)
              .run(alone, repetitions, () -> prompts.prompt(PROMPT_TOKENS).tokensPerSecond());
      show(() -> toJson(bench), () -> print(bench));
    }
  }

  /** Returns the entries per second if reading their own tokens were the only work. */
  private static double possible(LabelBench.Result bench) {
    return bench.promptPerSecond() / bench.newTokens();
  }

  private void print(LabelBench.Result bench) {
    console.say(
        "%d entries; a prompt has %.1f tokens of its own, after %d that all prompts share",
        bench.entries(), bench.newTokens(), bench.sharedTokens());
    console.say("labelled as in a run                   %8.2f entries/s", bench.together());
    console.say("one at a time, whole prompts read      %8.2f entries/s", bench.alone());
    console.say("  speed of the run as a multiple       %8.2f", bench.together() / bench.alone());
    console.say(
        "pp512 %6.1f tokens/s allows            %8.2f entries/s",
        bench.promptPerSecond(), possible(bench));
    console.say(
        "  of which the run reaches             %8.1f %%",
        100 * bench.together() / possible(bench));
  }

  private static ObjectNode toJson(LabelBench.Result bench) {
    return Json.object()
        .put("entries", bench.entries())
        .put("new_tokens_per_entry", bench.newTokens())
        .put("shared_tokens", bench.sharedTokens())
        .put("together_entries_per_second", bench.together())
        .put("alone_entries_per_second", bench.alone())
        .put("pp512_tokens_per_second", bench.promptPerSecond())
        .put("possible_entries_per_second", possible(bench));
  }
}
