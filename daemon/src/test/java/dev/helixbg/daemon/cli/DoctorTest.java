package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoctorTest {

  @ParameterizedTest
  @CsvSource({
    "25, OpenJDK 64-Bit Server VM, 25.0.3+9-LTS, Eclipse Adoptium, OK",
    "25, OpenJDK 64-Bit Server VM, 25.0.1+8-Debian-1, Debian, OK",
    "26, OpenJDK 64-Bit Server VM, 26+35, Eclipse Adoptium, NOTE",
    "25, OpenJDK 64-Bit Server VM, 25.0.1+8-jvmci-b01, GraalVM Community, NOTE",
    "25, Eclipse OpenJ9 VM, openj9-0.57.0, IBM Corporation, NOTE"
  })
  void aJdkThatWasNotTriedIsNamed(
      String specification, String name, String version, String vendor, String result) {
    Properties system = new Properties();
    system.setProperty("java.specification.version", specification);
    system.setProperty("java.vm.name", name);
    system.setProperty("java.vm.version", version);
    system.setProperty("java.vendor", vendor);
    system.setProperty("java.runtime.version", version);
    system.setProperty("java.home", "/somewhere");
    assertEquals(result, Doctor.java(system).state().name());
  }
}
