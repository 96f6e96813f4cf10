package dev.helixbg.daemon;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.config.Settings;
import dev.helixbg.insight.judge.LabelBench;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.bench.LlmBench;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How fast this machine labels entries. */
@Command(
    name = "label",
    description =
        "Entries labelled per second, as a run does it, beside one entry at a time without the"
            + " shared opening, and beside what the prompt speed allows.",
    mixinStandardHelpOptions = true)
final class BenchLabelCommand implements Callable<Integer> {
  private static final int PROMPT_TOKENS = 512;

  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private BenchModel model;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "200",
      description = "Entries of 100 to 250 tokens (default: ${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--alone",
      paramLabel = "N",
      defaultValue = "44",
      description = "Of how many the one-at-a-time way is measured (default: ${DEFAULT-VALUE}).")
  private int alone;

  @Option(
      names = {"-r", "--repetitions"},
      paramLabel = "N",
      defaultValue = "5",
      description = "How often the prompt speed is measured (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  BenchLabelCommand(Console console) {
    this.console = console;
  }

  /**
   * What was measured.
   *
   * @param promptPerSecond tokens of a prompt of 512
   */
  private record Bench(LabelBench.Result labels, double promptPerSecond) {
    /** Entries per second if reading their new tokens were all the work. */
    double possible() {
      return promptPerSecond / labels.newTokens();
    }
  }

  @Override
  public Integer call() throws IOException {
    if (entries < 1 || alone < 1 || repetitions < 1) {
      throw new Failure(ExitCode.USAGE, "--entries, --alone and -r must be 1 or more");
    }
    Settings settings = flags.settings(options);
    ModelOptions asJudged = flags.options(settings, 1).reading(LanguageModel.PASS_ROWS);
    try (TextModel opened = ModelOpener.open(model.file(settings), asJudged)) {
      LlmBench prompts =
          new LlmBench(
              opened, repetitions, settings.threads(), Thread.currentThread()::isInterrupted);
      LabelBench labels = new LabelBench(opened, entries, Thread.currentThread()::isInterrupted);
      double before = prompts.prompt(PROMPT_TOKENS).tokensPerSecond();
      LabelBench.Result result = labels.run(alone);
      double after = prompts.prompt(PROMPT_TOKENS).tokensPerSecond();
      // Before and after: a machine that grows warm must not make one side look better.
      Bench bench = new Bench(result, (before + after) / 2);
      if (json) {
        Json.print(console.out(), generator -> write(bench, generator));
      } else {
        print(bench);
      }
    }
    return ExitCode.OK.number();
  }

  private void print(Bench bench) {
    LabelBench.Result r = bench.labels();
    say(
        "%d entries, %.1f new tokens each, after an opening of %d tokens",
        r.entries(), r.newTokens(), r.openingTokens());
    say("as a run does it                            %8.2f entries/s", r.together());
    say("one at a time, opening read for each        %8.2f entries/s", r.alone());
    say("  the run is faster by                      %8.2f", r.together() / r.alone());
    say("one at a time, prompt read for each label   %8.2f entries/s", r.apart());
    say("  the run is faster by                      %8.2f", r.together() / r.apart());
    say(
        "pp512 %.1f tokens/s allows                 %8.2f entries/s",
        bench.promptPerSecond(), bench.possible());
    say(
        "  of which the run reaches                  %8.1f %%",
        100 * r.together() / bench.possible());
  }

  private void say(String format, Object... values) {
    console.out().printf(Locale.ROOT, format + "%n", values);
  }

  private static void write(Bench bench, JsonGenerator json) throws IOException {
    LabelBench.Result r = bench.labels();
    json.writeStartObject();
    json.writeNumberField("entries", r.entries());
    json.writeNumberField("new_tokens_per_entry", r.newTokens());
    json.writeNumberField("opening_tokens", r.openingTokens());
    json.writeNumberField("together_entries_per_second", r.together());
    json.writeNumberField("alone_entries_per_second", r.alone());
    json.writeNumberField("apart_entries_per_second", r.apart());
    json.writeNumberField("pp512_tokens_per_second", bench.promptPerSecond());
    json.writeNumberField("possible_entries_per_second", bench.possible());
    json.writeEndObject();
  }
}
