package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Gives each test a new software Metal with all checks. After the test, checks that no finding (a
 * detected error) was ignored, and that all objects were released.
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

  /** Checks that there is exactly one finding, and that it contains {@code part}. */
  void found(String part) {
    List<String> findings = soft.takeFindings();
    assertTrue(
        findings.size() == 1 && findings.getFirst().contains(part),
        () -> "wanted '" + part + "', found " + findings);
  }

  /** Checks that the command buffer's error and the only finding contain {@code part}. */
  void refused(String part, String error) {
    assertTrue(error.contains(part), () -> "wanted '" + part + "', got '" + error + "'");
    found(part);
  }
}
