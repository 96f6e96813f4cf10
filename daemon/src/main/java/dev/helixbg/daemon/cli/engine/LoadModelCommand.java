package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.cli.flags.ValueCommand;
import dev.helixbg.daemon.host.ModelCost;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.LoadReport;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufArray;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.GgufValue;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Opens a model file, checks all of it, and tells what is in it. */
@Command(
    name = "load-model",
    description = "Open a GGUF model: metadata, configuration, tensors, load time by phase.")
public final class LoadModelCommand extends ValueCommand {
  private static final int LONGEST_VALUE = 100;

  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @Parameters(paramLabel = "FILE", description = "The model, a GGUF file.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    try (TextModel model =
        ModelOpener.open(
            file, flags.options(flags.settings(options), 1).telling(console.err()::println))) {
      model.tokenizer();
      show(() -> toJson(model), () -> print(model));
    }
    return ExitCode.OK.number();
  }

  private void print(TextModel model) {
    GgufFile gguf = model.file();
    console.say("File      %s", gguf.path());
    console.say(
        "          %,d bytes, GGUF version %d, alignment %d",
        gguf.mapped().bytes().byteSize(), gguf.head().version(), gguf.head().alignment());
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

  private static ObjectNode toJson(TextModel model) {
    GgufFile gguf = model.file();
    ObjectNode json =
        Json.object()
            .put("file", gguf.path().toString())
            .put("bytes", gguf.mapped().bytes().byteSize())
            .put("version", gguf.head().version())
            .put("alignment", gguf.head().alignment())
            .put("name", model.name())
            .put("backend", model.backend().name())
            .put("context_limit", model.contextLimit());
    json.set("memory", Json.of(ModelCost.of(model)));
    putConfig(model, json.putObject("config"));
    ObjectNode metadata = json.putObject("metadata");
    gguf.metadata().values().forEach((key, value) -> metadata.set(key, toJson(value)));
    ObjectNode types = json.putObject("tensor_types");
    counts(gguf).forEach(types::put);
    json.set("tensors", Json.array(gguf.tensors().values(), LoadModelCommand::toJson));
    LoadReport report = model.loadReport();
    json.putObject("load")
        .put("total_ms", report.totalNanos() / 1e6)
        .set("phases", Json.array(report.phases(), LoadModelCommand::toJson));
    return json;
  }

  private static void putConfig(TextModel model, ObjectNode json) {
    Qwen3Config config = model.model().config();
    json.put("layers", config.layers())
        .put("hidden", config.hidden())
        .put("feed_forward", config.feedForward())
        .put("heads", config.heads())
        .put("kv_heads", config.kvHeads())
        .put("head_size", config.headSize())
        .put("vocabulary", model.model().vocabulary())
        .put("separate_output", model.model().hasSeparateOutput())
        .put("context_length", config.contextLength())
        .put("rope_base", config.ropeBase())
        .put("epsilon", config.epsilon());
  }

  private static JsonNode toJson(GgufValue value) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (value) {
      case GgufValue.Whole whole -> nodes.numberNode(new BigInteger(whole.toString()));
      case GgufValue.Real real -> nodes.numberNode(real.value());
      case GgufValue.Flag flag -> nodes.booleanNode(flag.value());
      case GgufValue.Text text -> nodes.textNode(text.value());
      case GgufArray array ->
          Json.object().put("element_type", array.elementType().name()).put("count", array.count());
    };
  }

  private static ObjectNode toJson(Tensor tensor) {
    ObjectNode json = Json.object().put("name", tensor.name()).put("type", tensor.type().name());
    ArrayNode shape = json.putArray("shape");
    for (long size : tensor.shape()) {
      shape.add(size);
    }
    return json.put("bytes", tensor.data().byteSize());
  }

  private static ObjectNode toJson(LoadReport.Phase phase) {
    return Json.object()
        .put("phase", phase.name())
        .put("ms", phase.nanos() / 1e6)
        .put("beside", phase.beside());
  }
}
