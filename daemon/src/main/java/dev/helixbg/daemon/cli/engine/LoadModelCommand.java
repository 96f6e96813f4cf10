package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.host.ModelCost;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.LoadReport;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufArray;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.GgufValue;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a model file, checks all of it, and tells what is in it. */
@Command(
    name = "load-model",
    description = "Open a GGUF model: metadata, configuration, tensors, load time by phase.",
    mixinStandardHelpOptions = true)
public final class LoadModelCommand implements Callable<Integer> {
  private static final int LONGEST_VALUE = 100;

  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @Parameters(paramLabel = "FILE", description = "The model, a GGUF file.")
  private Path file;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  public LoadModelCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    try (TextModel model = flags.open(file, flags.settings(options))) {
      model.tokenizer();
      if (json) {
        Json.print(console.json(), generator -> write(model, generator));
      } else {
        print(model);
      }
    }
    return ExitCode.OK.number();
  }

  // ---- text -----------------------------------------------------------------------------------

  private void print(TextModel model) {
    GgufFile gguf = model.file();
    console.say("File      %s", gguf.path());
    console.say(
        "          %,d bytes, GGUF version %d, alignment %d",
        gguf.mapped().bytes().byteSize(), gguf.version(), gguf.alignment());
    console.say("Model     %s", shown(model.name()));
    console.say("Backend   %s, context %,d tokens", model.backend().name(), model.contextLimit());
    GpuAccount.of(model.backend()).ifPresent(account -> account.printDevice(console));
    console.say("Memory    %s", ModelCost.of(model).words());
    model.loadReport().refused().forEach(reason -> console.say("GPU       not used: %s", reason));
    printConfig(model);
    console.say("%nMetadata");
    gguf.metadata()
        .values()
        .forEach((key, value) -> console.say("  %s = %s", shown(key), shown(value.toString())));
    console.say("%nTensors   %,d: %s", gguf.tensors().size(), typeCounts(gguf));
    for (Tensor tensor : gguf.tensors().values()) {
      console.say(
          "  %-28s %-6s %-18s %,12d bytes",
          shown(tensor.name()), tensor.type(), tensor.shape(), tensor.data().byteSize());
    }
    LoadReport report = model.loadReport();
    console.say("%nLoaded in %.0f ms", report.totalNanos() / 1e6);
    for (LoadReport.Phase phase : report.phases()) {
      console.say(
          "  %-10s %7.1f ms%s",
          phase.name(), phase.nanos() / 1e6, phase.beside() ? ", beside the others" : "");
    }
  }

  private void printConfig(TextModel model) {
    Qwen3Config config = model.model().config();
    console.say(
        "Shape     %d layers, hidden %,d, feed-forward %,d, %d query and %d key heads of %d",
        config.layers(),
        config.hidden(),
        config.feedForward(),
        config.heads(),
        config.kvHeads(),
        config.headSize());
    console.say(
        "          vocabulary %,d, %s output, trained for %,d tokens, rope base %,.0f, epsilon %g",
        model.model().vocabulary(),
        model.model().hasSeparateOutput() ? "separate" : "tied",
        config.contextLength(),
        config.ropeBase(),
        config.epsilon());
  }

  private static String typeCounts(GgufFile gguf) {
    return counts(gguf).entrySet().stream()
        .map(type -> type.getValue() + " " + type.getKey())
        .collect(Collectors.joining(", "));
  }

  private static Map<String, Long> counts(GgufFile gguf) {
    return gguf.tensors().values().stream()
        .collect(
            Collectors.groupingBy(
                tensor -> tensor.type().name(), TreeMap::new, Collectors.counting()));
  }

  private static String shown(String text) {
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
  }

  // ---- JSON -----------------------------------------------------------------------------------

  private static void write(TextModel model, JsonGenerator json) throws IOException {
    GgufFile gguf = model.file();
    json.writeStartObject();
    json.writeStringField("file", gguf.path().toString());
    json.writeNumberField("bytes", gguf.mapped().bytes().byteSize());
    json.writeNumberField("version", gguf.version());
    json.writeNumberField("alignment", gguf.alignment());
    json.writeStringField("name", model.name());
    json.writeStringField("backend", model.backend().name());
    json.writeNumberField("context_limit", model.contextLimit());
    ModelCost.of(model).write(json);
    writeConfig(model, json);
    json.writeObjectFieldStart("metadata");
    for (Map.Entry<String, GgufValue> entry : gguf.metadata().values().entrySet()) {
      json.writeFieldName(entry.getKey());
      write(entry.getValue(), json);
    }
    json.writeEndObject();
    json.writeObjectFieldStart("tensor_types");
    for (Map.Entry<String, Long> type : counts(gguf).entrySet()) {
      json.writeNumberField(type.getKey(), type.getValue());
    }
    json.writeEndObject();
    json.writeArrayFieldStart("tensors");
    for (Tensor tensor : gguf.tensors().values()) {
      write(tensor, json);
    }
    json.writeEndArray();
    write(model.loadReport(), json);
    json.writeEndObject();
  }

  private static void writeConfig(TextModel model, JsonGenerator json) throws IOException {
    Qwen3Config config = model.model().config();
    json.writeObjectFieldStart("config");
    json.writeNumberField("layers", config.layers());
    json.writeNumberField("hidden", config.hidden());
    json.writeNumberField("feed_forward", config.feedForward());
    json.writeNumberField("heads", config.heads());
    json.writeNumberField("kv_heads", config.kvHeads());
    json.writeNumberField("head_size", config.headSize());
    json.writeNumberField("vocabulary", model.model().vocabulary());
    json.writeBooleanField("separate_output", model.model().hasSeparateOutput());
    json.writeNumberField("context_length", config.contextLength());
    json.writeNumberField("rope_base", config.ropeBase());
    json.writeNumberField("epsilon", config.epsilon());
    json.writeEndObject();
  }

  private static void write(GgufValue value, JsonGenerator json) throws IOException {
    switch (value) {
      case GgufValue.Whole whole -> json.writeNumber(whole.toString());
      case GgufValue.Real real -> json.writeNumber(real.value());
      case GgufValue.Flag flag -> json.writeBoolean(flag.value());
      case GgufValue.Text text -> json.writeString(text.value());
      case GgufArray array -> {
        json.writeStartObject();
        json.writeStringField("element_type", array.elementType().name());
        json.writeNumberField("count", array.count());
        json.writeEndObject();
      }
    }
  }

  private static void write(Tensor tensor, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", tensor.name());
    json.writeStringField("type", tensor.type().name());
    json.writeArrayFieldStart("shape");
    for (long size : tensor.shape()) {
      json.writeNumber(size);
    }
    json.writeEndArray();
    json.writeNumberField("bytes", tensor.data().byteSize());
    json.writeEndObject();
  }

  private static void write(LoadReport report, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("load");
    json.writeNumberField("total_ms", report.totalNanos() / 1e6);
    json.writeArrayFieldStart("phases");
    for (LoadReport.Phase phase : report.phases()) {
      json.writeStartObject();
      json.writeStringField("phase", phase.name());
      json.writeNumberField("ms", phase.nanos() / 1e6);
      json.writeBooleanField("beside", phase.beside());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
