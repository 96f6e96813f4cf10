package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.BackendAgreement;
import dev.helixbg.llm.GpuRetry;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.tokenizer.BpeTokenizer.TextStream;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import dev.helixbg.llm.tokenizer.ChatTemplate.Thought;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets a model answer a prompt, and shows the answer while it grows. */
@Command(
    name = "generate",
    description =
        "Have a GGUF model answer a prompt, and print the text as it is generated. Without a"
            + " prompt, the model answers a built-in one with 32 tokens, and time and rate are"
            + " printed.")
public final class GenerateCommand extends ConsoleCommand {
  private static final int DEFAULT_TOKENS = 256;

  /** Every model answers it with more than {@link #SHORT} tokens. */
  private static final String PROMPT = "Explain in a few sentences what a knowledge base is.";

  private static final int SHORT = 32;
  private static final int HASH_DIGITS = 16;

  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @Parameters(paramLabel = "FILE", description = "Model, a GGUF file.")
  private Path file;

  @Option(
      names = {"-p", "--prompt"},
      paramLabel = "TEXT",
      description = "Prompt to answer.")
  private String prompt;

  @Option(
      names = "--prompt-ids",
      paramLabel = "ID",
      split = ",",
      description = "Prompt as token ids, separated by commas, in place of a text.")
  private int[] promptIds;

  @Option(
      names = "--raw",
      description =
          "Use the prompt without the chat template. Special tokens in its text take effect.")
  private boolean raw;

  @Option(
      names = {"-n", "--tokens"},
      paramLabel = "N",
      description = "Most tokens of the answer (default: 256, without a prompt 32).")
  private Integer maxTokens;

  @Option(names = "--json", description = "Print JSON when the answer is complete.")
  private boolean json;

  @Option(names = "--stats", description = "Print timings and counters to stderr.")
  private boolean stats;

  @Option(
      names = "--check",
      description =
          "Run the prompt on the CPU, too (on the scalar reference if the backend is the"
              + " CPU). Print the difference at each tap of each layer, and the first tap that"
              + " differs too much.")
  private boolean check;

  @Option(
      names = "--profile",
      description =
          "Time each GPU kernel by type and shape. Slow: each kernel gets its own command"
              + " buffer. Not for the CPU.")
  private boolean profile;

  /**
   * An answer with what it took.
   *
   * @param perToken what the backend counted for each token after the first; empty for one token
   */
  private record Generated(Generation generation, Map<Counter, Double> perToken) {

    /** The same for the same tokens: greedy answers of two machines are compared by it. */
    String idsHash() {
      String ids =
          Arrays.stream(tokenIds()).mapToObj(String::valueOf).collect(Collectors.joining(","));
      return Sha256.of(ids).substring(0, HASH_DIGITS);
    }

    /** With the token that ended it. */
    int[] tokenIds() {
      int[] ids = generation.tokenIds();
      if (generation.stopReason() == StopReason.STOP_TOKEN) {
        ids = Arrays.copyOf(ids, ids.length + 1);
        ids[ids.length - 1] = generation.stopToken();
      }
      return ids;
    }

    /** The first token belongs to the prompt's pass. */
    double decodedPerSecond() {
      int passes = tokenIds().length - 1;
      return passes < 1 ? 0 : passes * 1e9 / generation.decodeNanos();
    }

    double promptPerSecond() {
      return generation.promptTokens() * 1e9 / generation.promptNanos();
    }
  }

  @Override
  public Integer call() throws IOException {
    if (maxTokens != null && maxTokens < 1) {
      throw Failure.usage("-n must be 1 or more, not " + maxTokens);
    }
    if (prompt != null && promptIds != null) {
      throw Failure.usage("give --prompt or --prompt-ids, not both");
    }
    if (prompt == null && promptIds == null) {
      prompt = PROMPT;
      stats = true;
      maxTokens = maxTokens == null ? SHORT : maxTokens;
    }
    if (prompt != null && prompt.isEmpty()) {
      throw Failure.usage("the prompt is empty: give -p a text");
    }
    Settings settings = flags.settings(options);
    ModelOptions opening =
        flags.options(settings, 1).profiled(profile).telling(console.err()::println);
    Shown shown = new Shown();
    return new GpuRetry(console.err()::println)
        .run(
            opening.device() == Device.AUTO,
            onCpu -> run(onCpu ? opening.on(Device.CPU).profiled(false) : opening, shown));
  }

  private int run(ModelOptions opening, Shown shown) throws IOException {
    try (TextModel model = ModelOpener.open(file, opening)) {
      if (opening.profiled() && GpuStatistics.of(model.backend()).isEmpty()) {
        throw Failure.usage("--profile times a GPU, and the backend is " + model.backend().name());
      }
      model.refused().forEach(reason -> console.err().println(reason + "; the CPU runs the model"));
      int[] ids = ids(model);
      Generated answer = answer(model, ids, shown);
      Optional<GpuStatistics> gpu = GpuStatistics.of(model.backend());
      if (json) {
        Json.print(console.json(), toJson(model, answer, shown.text.toString()));
      } else {
        console.out().println();
      }
      if (stats) {
        print(model, answer);
        gpu.ifPresent(account -> account.print(console));
      } else if (profile) {
        gpu.ifPresent(account -> account.printProfile(console));
      }
      Optional<BackendAgreement> agreement =
          check ? Optional.of(agreement(model, opening, ids)) : Optional.empty();
      agreement.ifPresent(found -> AgreementLines.print(console, found));
      return exitCode(answer, agreement).number();
    }
  }

  private static ExitCode exitCode(Generated answer, Optional<BackendAgreement> agreement) {
    if (answer.generation().stopReason() == StopReason.CANCELLED) {
      return ExitCode.INTERRUPTED;
    }
    return agreement.isPresent() && !agreement.get().isGood() ? ExitCode.PROBLEMS : ExitCode.OK;
  }

  /** By a backend that computes the same in another way. */
  private BackendAgreement agreement(TextModel model, ModelOptions opening, int[] ids) {
    Device other = model.backend().name().equals("cpu") ? Device.SCALAR : Device.CPU;
    try (TextModel reference = ModelOpener.open(file, opening.on(other).profiled(false))) {
      return BackendAgreement.between(model, reference, ids);
    }
  }

  private int[] ids(TextModel model) {
    if (promptIds != null) {
      int vocabulary = model.model().vocabulary();
      for (int id : promptIds) {
        if (id < 0 || id >= vocabulary) {
          throw Failure.usage(
              "the token id %d is not in the vocabulary of %d".formatted(id, vocabulary));
        }
      }
      return promptIds;
    }
    if (raw) {
      return model.tokenizer().encodeWithSpecial(prompt);
    }
    ChatTemplate chat = model.chat();
    return chat.prompt(null, prompt, chat.thought() == Thought.ALWAYS);
  }

  private Generated answer(TextModel model, int[] ids, Shown shown) {
    Set<Integer> ends = model.tokenizer().endTokens();
    GenerationOptions generationOptions =
        new GenerationOptions(maxTokens == null ? DEFAULT_TOKENS : maxTokens, ends);
    Listener listener = new Listener(model.tokenizer().stream(), shown, model.backend().counters());
    try (Session session = model.session()) {
      Generation generation =
          model.generate(
              session, ids, generationOptions, listener, Thread.currentThread()::isInterrupted);
      listener.finish();
      return new Generated(
          generation,
          GenerateCounters.perToken(
              listener.afterFirst, model.backend().counters(), listener.tokens - 1));
    }
  }

  /** An answer as far as it came. One that begins anew is the same, as a rule. */
  private final class Shown {
    private final StringBuilder text = new StringBuilder();
    private int at;

    void begin() {
      at = 0;
    }

    /** Prints the next piece if it is new; all of the answer anew where it parts from the last. */
    void next(String piece) {
      if (at < text.length() && text.indexOf(piece, at) != at) {
        text.setLength(at);
        print("\n" + text);
      }
      if (at == text.length()) {
        text.append(piece);
        print(piece);
      }
      at += piece.length();
    }

    private void print(String piece) {
      if (!json) {
        console.out().print(piece);
      }
    }
  }

  /** Shows the answer while it grows. */
  private static final class Listener implements IntConsumer {
    private final TextStream stream;
    private final Shown shown;
    private final BackendCounters counters;
    private Map<Counter, Long> afterFirst = Map.of();
    private int tokens;

    Listener(TextStream stream, Shown shown, BackendCounters counters) {
      this.stream = stream;
      this.shown = shown;
      this.counters = counters;
      shown.begin();
    }

    @Override
    public void accept(int id) {
      if (tokens == 0) {
        afterFirst = counters.snapshot();
      }
      shown.next(stream.append(id));
      tokens++;
    }

    void finish() {
      shown.next(stream.finish());
    }
  }

  private void print(TextModel model, Generated answer) {
    Generation generation = answer.generation();
    console.note("backend   %s", model.backend().name());
    console.note(
        "prompt    %d tokens in %.0f ms, %.1f per second",
        generation.promptTokens(), generation.promptNanos() / 1e6, answer.promptPerSecond());
    console.note(
        "answer    %d tokens in %.0f ms, %.1f per second; ended by %s",
        answer.tokenIds().length,
        generation.decodeNanos() / 1e6,
        answer.decodedPerSecond(),
        Json.word(generation.stopReason()));
    console.note("ids       %s", answer.idsHash());
    GenerateCounters.print(console, model.backend().counters(), answer.perToken());
  }

  private static ObjectNode toJson(TextModel model, Generated answer, String text) {
    Generation generation = answer.generation();
    ObjectNode json = Json.object().put("text", text);
    ArrayNode ids = json.putArray("token_ids");
    Arrays.stream(answer.tokenIds()).forEach(ids::add);
    json.put("ids_hash", answer.idsHash())
        .put("prompt_tokens", generation.promptTokens())
        .put("stop_reason", Json.word(generation.stopReason()))
        .put("backend", model.backend().name());
    json.putObject("timings")
        .put("prompt_ms", generation.promptNanos() / 1e6)
        .put("decode_ms", generation.decodeNanos() / 1e6)
        .put("prompt_tokens_per_second", answer.promptPerSecond())
        .put("tokens_per_second", answer.decodedPerSecond());
    return json;
  }
}
