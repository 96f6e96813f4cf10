package dev.helixbg.daemon.host;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Tells whether the machine runs on battery, and how busy it is. */
public final class MachineLoad {
  private static final Path SUPPLIES = Path.of("/sys/class/power_supply");

  private MachineLoad() {}

  /** Whether the machine runs on battery; false if unknown. */
  public static boolean onBattery() {
    return System.getProperty("os.name").startsWith("Mac") ? pmset() : onBattery(SUPPLIES);
  }

  /** Reads from Linux's files whether a system battery discharges and no mains supply is online. */
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
}
