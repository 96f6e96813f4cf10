package dev.helixbg.config.x86;

import dev.helixbg.config.natives.NativeFunction;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes machine code callable on Linux, and tells which instruction sets the processor has. */
public final class MachineCode {
  /**
   * System property that permits machine code: {@code true} (the default), {@code false}, or the
   * name of the only permitted instruction set.
   */
  private static final String SWITCH = "helixbg.machine.code";

  private static final int READ_AND_WRITE = 1 | 2;
  private static final int READ_AND_RUN = 1 | 4;
  private static final int PRIVATE_AND_ANONYMOUS = 2 | 0x20;
  private static final int NO_FILE = -1;
  private static final long FAILED = -1;

  private static final List<String> FLAGS = flags();

  private MachineCode() {}

  /**
   * Returns whether this x86-64 processor has an instruction set, and the system property {@link
   * #SWITCH} permits machine code for it.
   */
  public static boolean runs(String instructions) {
    String allowed = System.getProperty(SWITCH, "true");
    return (allowed.equals("true") || allowed.equals(instructions)) && FLAGS.contains(instructions);
  }

  public static boolean has(String... instructions) {
    return FLAGS.containsAll(List.of(instructions));
  }

  /**
   * Returns the flags in {@code /proc/cpuinfo}, which only Linux on x86-64 has. On an emulated ARM
   * processor, the file may describe the real processor, so the architecture comes from the JVM.
   */
  private static List<String> flags() {
    return System.getProperty("os.arch").equals("amd64")
        ? Arrays.asList(cpuInfo("flags").split("\\s+"))
        : List.of();
  }

  /** Returns the first line of {@code /proc/cpuinfo} with this beginning; empty if none has it. */
  public static String cpuInfo(String beginning) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(line -> line.startsWith(beginning)).findFirst().orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Copies machine code into executable memory, which is never freed, and returns the code as a
   * function. Returns empty if the operating system refuses executable memory.
   */
  public static Optional<NativeFunction> function(byte[] code) {
    NativeFunction map = NativeFunction.ofC("mmap").orElseThrow();
    long address =
        map.call(0, code.length, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, NO_FILE, 0, 0, 0);
    if (address == FAILED) {
      return Optional.empty();
    }
    MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(code.length);
    memory.copyFrom(MemorySegment.ofArray(code));
    long protection =
        NativeFunction.ofC("mprotect").orElseThrow().call(address, code.length, READ_AND_RUN);
    return (int) protection == 0 ? Optional.of(new NativeFunction(memory)) : Optional.empty();
  }
}
