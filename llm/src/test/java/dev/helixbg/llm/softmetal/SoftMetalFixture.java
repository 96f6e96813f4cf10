package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Gives each test a fresh strict software Metal, and asks at its end for forgotten findings and
 * objects.
 */
@ResourceLock("softmetal")
abstract class SoftMetalFixture {
  static final RawMetal.Size ONE = size(1);

  SoftMetal soft;
  RawMetal metal;

  static RawMetal.Size size(long width) {
    return new RawMetal.Size(width, 1, 1);
  }

  @BeforeEach
  void open() {
    soft = SoftMetal.loadOrSkip();
    soft.configure(SoftMetalSettings.STRICT);
    soft.takeFindings();
    metal = new RawMetal(soft);
  }

  @AfterEach
  void close() {
    if (metal != null) {
      metal.close();
      assertEquals(List.of(), soft.takeFindings());
      assertEquals(List.of(), soft.liveObjects());
    }
  }

  /** Exactly one finding, and it says this. */
  void found(String part) {
    List<String> findings = soft.takeFindings();
    assertTrue(
        findings.size() == 1 && findings.getFirst().contains(part),
        () -> "wanted '" + part + "', found " + findings);
  }

  /** The command buffer's error and the only finding say this. */
  void refused(String part, String error) {
    assertTrue(error.contains(part), () -> "wanted '" + part + "', got '" + error + "'");
    found(part);
  }
}
