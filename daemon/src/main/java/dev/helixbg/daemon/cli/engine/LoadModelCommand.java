package dev.helixbg.daemon.cli.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.host.ModelMemory;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOpener.LoadReport;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufDescription;
import dev.helixbg.llm.gguf.GgufDescription.TensorEntry;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufValue;
import dev.helixbg.llm.gguf.GgufValue.GgufArray;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gguf.TensorClass;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tokenizer.TokenizerException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists what a model file has, then opens it, checks all of it, and tells how that went. */
@Command(
    name = "load-model",
    description =
        "List the metadata and tensors of a GGUF file. Then open the model and print its"
            + " configuration and load times, or the reason why it cannot run here.")
public final class LoadModelCommand extends JsonCommand {
  private static final int LONGEST_VALUE = 100;

  @Mixin private GlobalOptions options;
  @Mixin private ModelFlags flags;

  @Parameters(paramLabel = "FILE", description = "Model, a GGUF file.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    try (MappedFile mapped = MappedFile.open(file)) {
      GgufDescription described = GgufDescription.asFarAsPossible(mapped);
      ObjectNode answer = toJson(mapped, described);
      if (!json) {
        print(mapped, described);
      }
      try (TextModel model =
          ModelOpener.open(
              file, flags.options(flags.settings(options), 1).telling(console.err()::println))) {
        model.tokenizer();
        put(model, answer);
        if (!json) {
          print(model);
        }
      } catch (GgufException | TokenizerException | GpuException e) {
        answer.put("refused", e.getMessage());
        if (!json) {
          console.say("%nIt cannot be run here:");
          console.out().flush();
        }
        throw e; // the message is the last line
      } finally {
        if (json) {
          Json.print(console.json(), answer);
        }
      }
    }
    return ExitCode.OK.number();
  }

  /** What the file says of itself, whether it can be run here or not. */
  private void print(MappedFile mapped, GgufDescription described) {
    console.say("File      %s", file);
    console.say(
        "          %,d bytes, GGUF version %d, alignment %d",
        mapped.bytes().byteSize(), described.version(), described.alignment());
    console.say("%nMetadata");
    described
        .metadata()
        .values()
        .forEach((key, value) -> console.say("  %s = %s", shown(key), shown(value.toString())));
    console.say("%nTensors   %,d: %s", described.tensors().size(), typeCounts(described));
    bytesByClass(described)
        .forEach((kind, bytes) -> console.say("  %-28s %,40d bytes", Json.word(kind), bytes));
    for (TensorEntry tensor : described.tensors()) {
      String bytes =
          tensor.bytes().isPresent() ? "%,d".formatted(tensor.bytes().getAsLong()) : "unknown";
      console.say(
          "  %-28s %-8s %-18s %12s bytes",
          shown(tensor.name()), tensor.typeName(), tensor.shape(), bytes);
    }
  }

  private void print(TextModel model) {
    console.say("%nModel     %s", shown(model.name()));
    console.say("Backend   %s, context %,d tokens", model.backend().name(), model.contextLimit());
    GpuStatistics.of(model.backend()).ifPresent(account -> account.printDevice(console));
    console.say("Memory    %s", ModelMemory.of(model).words());
    model.loadReport().refused().forEach(reason -> console.say("GPU       not used: %s", reason));
    printConfig(model);
    LoadReport report = model.loadReport();
    console.out().println();
    LoadReportLines.print(report, line -> console.say("%s", line));
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
        "          vocabulary %,d, %s output, trained for %,d tokens, rope base %,.0f, rope scaling"
            + " %s, epsilon %g",
        model.model().vocabulary(),
        model.model().hasSeparateOutput() ? "separate" : "tied",
        config.contextLength(),
        config.ropeBase(),
        config.ropeScaling(),
        config.epsilon());
  }

  private static String typeCounts(GgufDescription described) {
    return counts(described).entrySet().stream()
        .map(type -> type.getValue() + " " + type.getKey())
        .collect(Collectors.joining(", "));
  }

  private static Map<String, Long> counts(GgufDescription described) {
    return described.tensors().stream()
        .collect(Collectors.groupingBy(TensorEntry::typeName, TreeMap::new, Collectors.counting()));
  }

  /** Bytes of all tensors of one use, largest first. */
  private static Map<TensorClass, Long> bytesByClass(GgufDescription described) {
    Map<TensorClass, Long> bytes = new LinkedHashMap<>();
    described.tensors().stream()
        .collect(
            Collectors.groupingBy(
                tensor -> TensorClass.of(tensor.name()),
                Collectors.summingLong(tensor -> tensor.bytes().orElse(0))))
        .entrySet()
        .stream()
        .sorted(Map.Entry.<TensorClass, Long>comparingByValue().reversed())
        .forEach(entry -> bytes.put(entry.getKey(), entry.getValue()));
    return bytes;
  }

  private static String shown(String text) {
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
  }

  private ObjectNode toJson(MappedFile mapped, GgufDescription described) {
    ObjectNode json =
        Json.object()
            .put("file", file.toString())
            .put("bytes", mapped.bytes().byteSize())
            .put("version", described.version())
            .put("alignment", described.alignment());
    ObjectNode metadata = json.putObject("metadata");
    described.metadata().values().forEach((key, value) -> metadata.set(key, toJson(value)));
    ObjectNode types = json.putObject("tensor_types");
    counts(described).forEach(types::put);
    ObjectNode classes = json.putObject("tensor_bytes");
    bytesByClass(described).forEach((kind, bytes) -> classes.put(Json.word(kind), bytes));
    json.set("tensors", Json.array(described.tensors(), LoadModelCommand::toJson));
    return json;
  }

  private static void put(TextModel model, ObjectNode json) {
    json.put("name", model.name())
        .put("backend", model.backend().name())
        .put("context_limit", model.contextLimit());
    json.set("memory", Json.of(ModelMemory.of(model)));
    putConfig(model, json.putObject("config"));
    LoadReport report = model.loadReport();
    json.set("load", LoadReportLines.toJson(report));
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
        .put("rope_scaling", config.ropeScaling().toString())
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

  private static ObjectNode toJson(TensorEntry tensor) {
    ObjectNode json = Json.object().put("name", tensor.name()).put("type", tensor.typeName());
    ArrayNode shape = json.putArray("shape");
    for (long size : tensor.shape()) {
      shape.add(size);
    }
    tensor.bytes().ifPresent(bytes -> json.put("bytes", bytes));
    return json;
  }
}
