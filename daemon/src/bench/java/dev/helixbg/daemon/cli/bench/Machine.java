package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Properties of the machine and the JVM on which the measured speed of the CPU engine depends.
 *
 * @param processor name of the processor if the system tells it, else its architecture
 * @param vectorBits size of the widest vectors that kernels use, in bits
 * @param byteProducts name of the instructions that multiply numbers of one byte for prompts, or
 *     "none"
 * @param jdk version, vendor and virtual machine
 * @param options options of the JVM that change how it compiles
 */
record Machine(String processor, int vectorBits, String byteProducts, String jdk, String options) {

  static Machine here() {
    return new Machine(
        nameOfProcessor(),
        Lanes.COUNT * Float.SIZE,
        ByteProduct.INSTRUCTIONS,
        "%s, %s, %s"
            .formatted(
                System.getProperty("java.runtime.version"),
                System.getProperty("java.vendor"),
                System.getProperty("java.vm.name")),
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("-XX:") && !option.contains("CompileCommand"))
            .filter(option -> !option.contains("SharedArchiveFile"))
            .collect(Collectors.joining(" ")));
  }

  /** Returns the processor's name from Linux on x86; elsewhere, the architecture. */
  private static String nameOfProcessor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElseGet(Machine::architecture);
    } catch (IOException e) {
      return architecture();
    }
  }

  private static String architecture() {
    return System.getProperty("os.arch");
  }

  void say(Console console) {
    console.say("Machine   %s, %s", processor, CpuBackend.vectors());
    console.say("JDK       %s", jdk);
    console.say("Options   %s", options);
  }

  void describeIn(ObjectNode json) {
    json.put("processor", processor)
        .put("vector_bits", vectorBits)
        .put("byte_products", byteProducts)
        .put("jdk", jdk)
        .put("jvm_options", options);
  }
}
