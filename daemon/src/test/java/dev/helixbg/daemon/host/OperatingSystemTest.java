package dev.helixbg.daemon.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatingSystemTest {
  @TempDir Path supplies;

  private void supply(String name, Map<String, String> files) throws IOException {
    Path folder = Files.createDirectories(supplies.resolve(name));
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(folder.resolve(file.getKey()), file.getValue() + "\n");
    }
  }

  @Test
  void linuxSaysItInItsPowerSupplies() throws IOException {
    assertFalse(OperatingSystem.onBattery(supplies.resolve("none")));
    supply("BAT0", Map.of("type", "Battery", "status", "Discharging"));
    supply("AC", Map.of("type", "Mains", "online", "0"));
    assertTrue(OperatingSystem.onBattery(supplies));
    supply("AC", Map.of("type", "Mains", "online", "1"));
    assertFalse(OperatingSystem.onBattery(supplies));
    supply("AC", Map.of("type", "Mains", "online", "0"));
    supply("BAT0", Map.of("type", "Battery", "status", "Full"));
    supply("mouse", Map.of("type", "Battery", "status", "Discharging", "scope", "Device"));
    assertFalse(OperatingSystem.onBattery(supplies), "the battery of a mouse is no reason");
  }

  @Test
  void aLaptopMayBeFedThroughUsb() throws IOException {
    supply("BAT0", Map.of("type", "Battery", "status", "Discharging"));
    supply("ucsi-1", Map.of("type", "USB", "online", "0"));
    assertTrue(OperatingSystem.onBattery(supplies));
    supply("ucsi-2", Map.of("type", "USB", "online", "1"));
    assertFalse(OperatingSystem.onBattery(supplies), "the charger may be too weak, but it is one");
  }

  @Test
  void whatCannotBeReadTellsNothing() throws IOException {
    supply("BAT0", Map.of("status", "Discharging"));
    assertFalse(OperatingSystem.onBattery(supplies), "of no known type");
    Files.createDirectories(supplies.resolve("BAT1/type"));
    assertFalse(OperatingSystem.onBattery(supplies));
    assertFalse(OperatingSystem.onBattery(Files.createFile(supplies.resolve("file"))));
  }

  @Test
  void macSaysItInTheFirstLine() {
    assertTrue(
        OperatingSystem.saysBattery("Now drawing from 'UPS Power'\n -UPS (id=1) 80%; discharging"));
    assertTrue(
        OperatingSystem.saysBattery("Now drawing from 'Battery Power'\n -InternalBattery-0 95%"));
    assertFalse(
        OperatingSystem.saysBattery("Now drawing from 'AC Power'\n -InternalBattery-0 95%"));
    assertEquals(false, OperatingSystem.saysBattery(""));
  }
}
