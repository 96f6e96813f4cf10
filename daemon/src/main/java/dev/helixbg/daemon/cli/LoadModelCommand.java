package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.ModelFlags;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufDescription;
import dev.helixbg.llm.gguf.GgufDescription.TensorEntry;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.model.Qwen3Config;
import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.stream.Collectors;

public final class LoadModelCommand extends ConsoleCommand {
  private static final int LONGEST_VALUE = 100;
  private final ModelFlags flags = new ModelFlags();
  private Path file;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "List the metadata and tensors of a GGUF file. Then open the model, and print its"
            + " configuration and how long the opening took, or why the model cannot run here.");
    to.add(options, flags);
    to.argument("FILE", "Model, a GGUF file.", Path.class, given -> file = given);
  }

  @Override
  protected void run() throws IOException {
    try (MappedFile mapped = MappedFile.open(file)) {
      GgufDescription described = GgufDescription.of(mapped);
      print(mapped, described);
      long start = System.nanoTime();
      try (TextModel model = ModelOpener.open(file, flags.options(flags.settings(options), 1))) {
        model.chat();
        print(model);
        console.say("Opened    in %.0f ms", (System.nanoTime() - start) / 1e6);
      } catch (GgufException | GpuException e) {
        console.say("%nThe model cannot run here:");
        console.out().flush();
        throw e; // the exception's message is printed last
      }
    }
  }

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
    if (model.backend() instanceof GpuBackend gpu) {
      String driver = gpu.device().driver();
      console.say("GPU       %s%s", gpu.device().name(), driver.isEmpty() ? "" : ", " + driver);
    }
    console.say("Memory    %s", LanguageModelFile.memory(model));
    model.warnings().forEach(warning -> console.say("Note      %s", warning));
    Qwen3Config config = model.model().config();
    console.say(
        "Shape     %d layers, hidden %,d, feed-forward %,d, %d query heads, %d key heads, head size"
            + " %d",
        config.layers(),
        config.hidden(),
        config.feedForward(),
        config.heads(),
        config.kvHeads(),
        config.headSize());
  }

  private static String typeCounts(GgufDescription described) {
    return described.tensors().stream()
        .collect(Collectors.groupingBy(TensorEntry::typeName, TreeMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .map(type -> type.getValue() + " " + type.getKey())
        .collect(Collectors.joining(", "));
  }

  private static String shown(String text) {
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
  }
}
