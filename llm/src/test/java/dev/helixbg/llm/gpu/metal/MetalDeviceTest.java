package dev.helixbg.llm.gpu.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Tests {@link MetalDevice} without a model. {@link MetalTests#close} fails if objects are not
 * released.
 */
@ResourceLock("softmetal")
class MetalDeviceTest {
  private static final String SOURCE =
      """
      kernel void add_one(device float* x [[buffer(0)]], constant float& more [[buffer(1)]],
                          uint i [[thread_position_in_grid]]) {
        x[i] += more;
      }
      kernel void past_the_end(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
        x[i + 1000000] = 1;
      }
      """;

  private MetalTests metal;
  private MetalDevice device;
  private Arena arena;

  @BeforeEach
  void open() {
    metal = new MetalTests(SoftMetalSettings.STRICT.lazy(true));
    device = metal.device();
    arena = Arena.ofShared();
  }

  @AfterEach
  void close() {
    if (metal != null) {
      arena.close();
      metal.close();
    }
  }

  private GpuKernel kernel(String name) {
    return metal.kernel(name, SOURCE);
  }

  private void encodeAddOne(GpuCommands commands, GpuBuffer buffer) {
    MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1);
    commands.kernel(kernel("add_one"));
    commands.buffer(0, buffer, 0);
    commands.constants(1, one, 4);
    commands.dispatch(2, 1, 1, 32);
  }

  @Test
  void dispatchesWithABarrierBetweenRunOneAfterTheOther() {
    GpuBuffer buffer = device.buffer(arena, "numbers", 64 * 4);
    try (GpuCommands commands = device.commands()) {
      encodeAddOne(commands, buffer);
      commands.barrier();
      encodeAddOne(commands, buffer);
      commands.commit();
      assertFalse(commands.ended());
      commands.await();
      assertTrue(commands.ended());
    }
    for (int i = 0; i < 64; i++) {
      assertEquals(2, buffer.data().getAtIndex(ValueLayout.JAVA_FLOAT, i));
    }
  }

  @Test
  void commandsThatAreNeverCommittedLeaveNothingBehind() {
    GpuBuffer buffer = device.buffer(arena, "numbers", 64 * 4);
    try (GpuCommands commands = device.commands()) {
      encodeAddOne(commands, buffer);
    }
  }

  @Test
  void pipelinesAreMadeOnce() {
    assertSame(kernel("add_one"), kernel("add_one"));
    assertEquals(1024, kernel("add_one").maxThreads());
  }

  @Test
  void theCompilersMessageIsPassedOn() {
    GpuException e =
        assertThrows(
            GpuException.class, () -> metal.kernel("k", "kernel void k() { undeclared(); }"));
    assertTrue(e.getMessage().contains("test"), e.getMessage());
    assertTrue(e.getMessage().contains("undeclared"), e.getMessage());
  }

  @Test
  void aKernelThatIsNotThereIsNamed() {
    GpuException e = assertThrows(GpuException.class, () -> kernel("no_such"));
    assertTrue(e.getMessage().contains("no_such"), e.getMessage());
  }

  @Test
  void aFailureOfTheGpuIsAnExceptionWithItsText() {
    GpuBuffer buffer = device.buffer(arena, "numbers", 64 * 4);
    try (GpuCommands commands = device.commands()) {
      commands.kernel(kernel("past_the_end"));
      commands.buffer(0, buffer, 0);
      commands.dispatch(1, 1, 1, 32);
      commands.commit();
      GpuException e = assertThrows(GpuException.class, commands::await);
      assertTrue(e.getMessage().contains("out of bounds"), e.getMessage());
    }
    assertEquals(1, metal.takeFindings().size());
  }

  @Test
  @DisabledOnOs(OS.MAC)
  void aDeviceRestsUntilItIsOpenedAgainUnlessItFailed() {
    System.setProperty(MetalDevice.PROPERTY, metal.library());
    try {
      MetalDevice first = MetalDevice.open();
      KernelLibrary library = new KernelLibrary("test", SOURCE, List.of());
      GpuKernel kernel = first.kernel(library, "add_one");
      MetalDevice beside = MetalDevice.open();
      assertNotSame(first, beside, "the first is in use");
      first.close();
      beside.close();
      MetalDevice again = MetalDevice.open();
      assertSame(first, again);
      assertSame(kernel, again.kernel(library, "add_one"));
      try (Arena own = Arena.ofShared();
          GpuCommands commands = again.commands()) {
        commands.kernel(again.kernel(library, "past_the_end"));
        commands.buffer(0, again.buffer(own, "numbers", 64 * 4), 0);
        commands.dispatch(1, 1, 1, 32);
        commands.commit();
        assertThrows(GpuException.class, commands::await);
      }
      again.close();
      assertEquals(1, metal.takeFindings().size());
      MetalDevice other = MetalDevice.open();
      assertNotSame(again, other, "it failed");
      other.close();
    } finally {
      System.clearProperty(MetalDevice.PROPERTY);
      MetalTests.releaseRested();
    }
  }

  @Test
  void limitsAreThoseOfTheDevice() {
    assertFalse(device.name().isEmpty());
    assertTrue(device.memoryBudget() > 0);
    assertTrue(device.maxBufferBytes() > 0);
    long before = device.memoryUsed();
    device.buffer(arena, "a megabyte", 1 << 20);
    assertTrue(device.memoryUsed() >= before + (1 << 20));
  }

  @Test
  @DisabledOnOs(OS.MAC)
  void withoutMetalThereIsOneClearSentence() {
    GpuException none = assertThrows(GpuException.class, () -> MetalDevice.open(""));
    assertTrue(
        none.getMessage().startsWith("there is no Metal on this machine"), none.getMessage());
    String missing = "/no/such/library.so";
    GpuException wrong = assertThrows(GpuException.class, () -> MetalDevice.open(missing));
    assertTrue(wrong.getMessage().contains(missing), wrong.getMessage());
  }

  @Test
  void aReleasedBufferCannotBeTouched() {
    GpuBuffer buffer;
    try (Arena own = Arena.ofShared()) {
      buffer = device.buffer(own, "short-lived", 64);
    }
    assertThrows(IllegalStateException.class, () -> buffer.data().get(ValueLayout.JAVA_FLOAT, 0));
  }
}
