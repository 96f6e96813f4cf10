package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.cli.flags.Declaration;
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
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.tokenizer.BpeTokenizer.TextStream;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import dev.helixbg.llm.tokenizer.ChatTemplate.Thought;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public final class GenerateCommand extends JsonCommand {
  private static final int DEFAULT_TOKENS = 256;

  /** A prompt that every model answers with more than {@link #SHORT} tokens. */
  private static final String PROMPT = "Explain in a few sentences what a knowledge base is.";

  private static final int SHORT = 32;
  private static final int HASH_DIGITS = 16;
  private final ModelFlags flags = new ModelFlags();
  private Path file;
  private String prompt;
  private boolean raw;
  private Integer maxTokens;
  private boolean stats;
  private boolean check;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Have a GGUF model answer a prompt, and print the text as it is generated. Without a"
            + " prompt, the model answers a built-in prompt with 32 tokens, and the command prints"
            + " the time and the rate.");
    to.add(options, flags);
    to.argument("FILE", "Model, a GGUF file.", Path.class, given -> file = given);
    to.option("-p, --prompt=TEXT", "Prompt to answer.", given -> prompt = given);
    to.flag(
        "--raw",
        "Pass the prompt to the model without a chat template. Special tokens in the prompt take"
            + " effect.",
        given -> raw = given);
    to.option(
        "-n, --tokens=N",
        "Maximum number of tokens in the answer (default: 256; without a prompt, 32).",
        Integer.class,
        given -> maxTokens = given);
    to.flag("--stats", "Print timings and counters to stderr.", given -> stats = given);
    to.flag(
        "--check",
        "Also compute the prompt on the CPU (or, if the model runs on the CPU, with the slow scalar"
            + " reference), and compare the two computations. Print their difference at each tap"
            + " (intermediate result) of each layer, and the first tap that differs too much.",
        given -> check = given);
  }

  @Override
  public Integer call() throws IOException {
    if (maxTokens != null && maxTokens < 1) {
      throw Failure.usage("-n must be 1 or more, not " + maxTokens);
    }
    if (prompt == null) {
      prompt = PROMPT;
      stats = true;
      maxTokens = maxTokens == null ? SHORT : maxTokens;
    }
    if (prompt.isEmpty()) {
      throw Failure.usage("the prompt is empty: give -p a text");
    }
    Settings settings = flags.settings(options);
    ModelOptions opening = flags.options(settings, 1);
    Shown shown = new Shown();
    return new GpuRetry(console.err()::println)
        .run(
            opening.device() == Device.AUTO,
            onCpu -> run(onCpu ? opening.on(Device.CPU) : opening, shown));
  }

  private int run(ModelOptions opening, Shown shown) throws IOException {
    try (TextModel model = ModelOpener.open(file, opening)) {
      model.warnings().forEach(console.err()::println);
      int[] ids = ids(model);
      Generation answer = answer(model, ids, shown);
      if (json) {
        Json.print(console.json(), toJson(model, answer, shown.text.toString()));
      } else {
        console.out().println();
      }
      if (stats) {
        print(model, answer);
      }
      ExitCode code = ExitCode.OK;
      if (check) {
        BackendAgreement agreement = agreement(model, opening, ids);
        print(agreement);
        code = agreement.isGood() ? ExitCode.OK : ExitCode.PROBLEMS;
      }
      return (answer.stopReason() == StopReason.CANCELLED ? ExitCode.INTERRUPTED : code).number();
    }
  }

  private BackendAgreement agreement(TextModel model, ModelOptions opening, int[] ids) {
    Device other = model.backend().name().equals("cpu") ? Device.SCALAR : Device.CPU;
    try (TextModel reference = ModelOpener.open(file, opening.on(other))) {
      return BackendAgreement.between(model, reference, ids);
    }
  }

  private int[] ids(TextModel model) {
    if (raw) {
      return model.tokenizer().encodeWithSpecial(prompt);
    }
    ChatTemplate chat = model.chat();
    return chat.prompt(null, prompt, chat.thought() == Thought.ALWAYS);
  }

  private Generation answer(TextModel model, int[] ids, Shown shown) {
    Set<Integer> ends = model.tokenizer().endTokens();
    GenerationOptions generationOptions =
        new GenerationOptions(maxTokens == null ? DEFAULT_TOKENS : maxTokens, ends);
    TextStream stream = model.tokenizer().stream();
    shown.at = 0;
    try (Session session = model.session()) {
      Generation generation =
          model.generate(
              session,
              ids,
              generationOptions,
              id -> shown.next(stream.append(id)),
              Thread.currentThread()::isInterrupted);
      shown.next(stream.finish());
      return generation;
    }
  }

  /** Prints an answer while it is made. After a failure of the GPU, the answer is made again. */
  private final class Shown {
    private final StringBuilder text = new StringBuilder();
    private int at;

    /**
     * Prints the next piece of the answer, unless it was printed before the GPU's failure. If the
     * repeated answer differs from the printed one, prints the repeated answer from the start.
     */
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

  private void print(TextModel model, Generation answer) {
    console.note("backend   %s", model.backend().name());
    console.note(
        "prompt    %d tokens in %.0f ms, %.1f per second",
        answer.promptTokens(), answer.promptNanos() / 1e6, promptPerSecond(answer));
    console.note(
        "answer    %d tokens in %.0f ms, %.1f per second; ended by %s",
        tokenIds(answer).length,
        answer.decodeNanos() / 1e6,
        decodedPerSecond(answer),
        Json.word(answer.stopReason()));
    console.note("ids       %s", idsHash(answer));
    model
        .backend()
        .counters()
        .snapshot()
        .forEach((what, n) -> console.note("%-17s %,d", Json.word(what), n));
    if (model.backend() instanceof GpuBackend gpu) {
      console.note("gpu           %s %s", gpu.device().name(), gpu.device().driver());
      console.note(
          "gpu memory    %,d of %,d bytes", gpu.device().memoryUsed(), gpu.device().memoryBudget());
      console.note("copied        %,d bytes of weights", gpu.copiedWeightBytes());
    }
  }

  private void print(BackendAgreement agreement) {
    console.note(
        "check     differences at each tap, relative to the largest value of the tap; %s",
        agreement.sameToken() ? "same next token" : "ANOTHER NEXT TOKEN");
    for (BackendAgreement.Parting place : agreement.places()) {
      console.note(
          "          layer %3d  %-16s off by %.1e",
          place.layer(), Json.word(place.tap()), place.difference());
    }
    agreement
        .firstParting()
        .ifPresent(
            parting ->
                console.note(
                    "          layer %d is the first to differ too much, at %s (value %d of token"
                        + " %d: %.6g here, %.6g there)",
                    parting.layer(),
                    Json.word(parting.tap()),
                    parting.column(),
                    parting.row(),
                    parting.actual(),
                    parting.expected()));
  }

  private static ObjectNode toJson(TextModel model, Generation answer, String text) {
    ObjectNode json = Json.object().put("text", text);
    ArrayNode ids = json.putArray("token_ids");
    Arrays.stream(tokenIds(answer)).forEach(ids::add);
    json.put("ids_hash", idsHash(answer))
        .put("prompt_tokens", answer.promptTokens())
        .put("stop_reason", Json.word(answer.stopReason()))
        .put("backend", model.backend().name());
    json.putObject("timings")
        .put("prompt_ms", answer.promptNanos() / 1e6)
        .put("decode_ms", answer.decodeNanos() / 1e6)
        .put("prompt_tokens_per_second", promptPerSecond(answer))
        .put("tokens_per_second", decodedPerSecond(answer));
    return json;
  }

  /** Returns a hash of the token ids, for comparing greedy answers of two machines. */
  private static String idsHash(Generation answer) {
    String ids =
        Arrays.stream(tokenIds(answer)).mapToObj(String::valueOf).collect(Collectors.joining(","));
    return Sha256.of(ids).substring(0, HASH_DIGITS);
  }

  /** Returns the token ids of the answer, including the token that ended the answer. */
  private static int[] tokenIds(Generation answer) {
    IntStream ids = Arrays.stream(answer.tokenIds());
    return answer.stopReason() == StopReason.STOP_TOKEN
        ? IntStream.concat(ids, IntStream.of(answer.stopToken())).toArray()
        : ids.toArray();
  }

  /** Returns the tokens per second, without the first token, which the prompt's pass computes. */
  private static double decodedPerSecond(Generation answer) {
    int passes = tokenIds(answer).length - 1;
    return passes < 1 ? 0 : passes * 1e9 / answer.decodeNanos();
  }

  private static double promptPerSecond(Generation answer) {
    return answer.promptTokens() * 1e9 / answer.promptNanos();
  }
}
