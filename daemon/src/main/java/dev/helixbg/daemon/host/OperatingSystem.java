package dev.helixbg.daemon.host;

import dev.helixbg.config.natives.NativeFunction;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Functions of the operating system: battery, load, a thread's priority, and memory. */
public final class OperatingSystem {
  private static final Logger LOG = LoggerFactory.getLogger(OperatingSystem.class);

  private static final Path SUPPLIES = Path.of("/sys/class/power_supply");

  private static final int PRIO_PROCESS = 0;
  private static final int THIS_THREAD = 0;
  private static final int LOWEST_NICE = 19;

  private OperatingSystem() {}

  /** Returns whether the machine runs on battery; false if unknown. */
  public static boolean onBattery() {
    return System.getProperty("os.name").startsWith("Mac") ? pmset() : onBattery(SUPPLIES);
  }

  /** Whether {@code supplies} has a discharging system battery, and no mains supply online. */
  static boolean onBattery(Path supplies) {
    boolean discharging = false;
    boolean online = false;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(supplies)) {
      for (Path supply : all) {
        String type = read(supply.resolve("type"));
        if (read(supply.resolve("scope")).equals("Device")) { // the battery of a mouse, for example
          continue;
        }
        if (type.equals("Battery")) {
          discharging |= read(supply.resolve("status")).equals("Discharging");
        } else {
          online |= read(supply.resolve("online")).equals("1");
        }
      }
    } catch (IOException e) {
      return false;
    }
    return discharging && !online;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean pmset() {
    try {
      Process process = new ProcessBuilder("/usr/bin/pmset", "-g", "batt").start();
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return saysBattery(
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Whether pmset's first line is like {@code Now drawing from 'Battery Power'}. */
  static boolean saysBattery(String pmset) {
    String first = pmset.lines().findFirst().orElse("");
    return first.contains("'Battery Power'") || first.contains("'UPS Power'");
  }

  /** Returns the mean number of runnable threads per core in the last minute; 0 if unknown. */
  public static double load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return Math.max(0, load) / Runtime.getRuntime().availableProcessors();
  }

  /**
   * Lowers the priority of the calling thread, and of threads that it starts. On Linux, where
   * Java's priorities have no effect, the nice value becomes 19. On a Mac, the background priority
   * is not used, because it would also slow down work on the GPU.
   */
  public static void lowerPriority() {
    Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
    if (System.getProperty("os.name").startsWith("Linux")) {
      // int setpriority(int which, id_t who, int value)
      NativeFunction.ofC("setpriority")
          .ifPresent(
              f ->
                  LOG.debug(
                      "setpriority: {}", (int) f.call(PRIO_PROCESS, THIS_THREAD, LOWEST_NICE)));
    }
  }

  /** Returns the resident memory in bytes; empty if unknown. */
  public static Optional<Long> residentMemory() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst();
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Collects garbage, and makes glibc return unused memory to the system. After a model was
   * released, glibc would keep some hundred megabytes.
   */
  public static void giveBackMemory() {
    System.gc();
    // int malloc_trim(size_t pad)
    NativeFunction.ofC("malloc_trim")
        .ifPresent(trim -> LOG.debug("malloc_trim: {}", (int) trim.call(0)));
  }
}
