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

/**
 * Turns the project's own machine code into callable functions, on Linux, and reports the
 * processor's instruction sets.
 */
public final class MachineCode {
  /** System property: {@code true}, {@code false}, or the only instruction set that may be used. */
  private static final String SWITCH = "helixbg.machine.code";

  private static final int READ_AND_WRITE = 1 | 2;
  private static final int READ_AND_RUN = 1 | 4;
  private static final int PRIVATE_AND_ANONYMOUS = 2 | 0x20;
  private static final int NO_FILE = -1;
  private static final long FAILED = -1;

  private static final List<String> FLAGS = flags();

  private MachineCode() {}

  /**
   * Returns whether this is an x86-64 processor with the instruction set, and {@link #SWITCH}
   * permits that instruction set. {@code instructions} is the name that Linux uses.
   */
  public static boolean runs(String instructions) {
    String allowed = System.getProperty(SWITCH, "true");
    return isKnownSystem()
        && (allowed.equals("true") || allowed.equals(instructions))
        && FLAGS.contains(instructions);
  }

  /** Returns whether this is Linux on x86-64. */
  static boolean isKnownSystem() {
    return System.getProperty("os.name").equals("Linux")
        && System.getProperty("os.arch").equals("amd64");
  }

  /** Returns whether the processor has all of these instruction sets. */
  public static boolean has(String... instructions) {
    return FLAGS.containsAll(List.of(instructions));
  }

  /** Returns the flags of the first processor in {@code /proc/cpuinfo}. */
  private static List<String> flags() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("flags"))
          .findFirst()
          .map(line -> Arrays.asList(line.split("\\s+")))
          .orElse(List.of());
    } catch (IOException e) {
      return List.of();
    }
  }

  /**
   * Returns a function in executable memory that cannot be written to; empty if the system refuses
   * such memory. The memory is never freed.
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
