package dev.helixbg.llm.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.softmetal.SoftCuda;
import dev.helixbg.llm.softmetal.SoftMetal;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
@DisabledIfSystemProperty(named = "gpu.real", matches = "true")
class CudaDeviceTest {
  private static final KernelLibrary ROWS = new KernelLibrary("rows", "", List.of("rows.metal"));
  private static final int FLOATS = 64;

  private CudaTests cuda;
  private CudaDevice device;
  private Arena arena;
  private GpuKernel kernel;

  @BeforeEach
  void open() {
    cuda = new CudaTests(SoftMetalSettings.STRICT.lazy(true));
    device = cuda.device();
    kernel = device.kernel(ROWS, "gate");
    arena = Arena.ofShared();
  }

  @AfterEach
  void close() {
    if (cuda != null) {
      arena.close();
      cuda.close();
    }
  }

  private GpuBuffer floats(float value) {
    GpuBuffer buffer = device.buffer(arena, "floats", 4L * FLOATS);
    float[] values = new float[FLOATS];
    Arrays.fill(values, value);
    buffer.write(0, MemorySegment.ofArray(values));
    return buffer;
  }

  private static float[] read(GpuBuffer buffer) {
    float[] values = new float[FLOATS];
    buffer.read(0, MemorySegment.ofArray(values));
    return values;
  }

  /** Encodes {@code target = silu(gates) · target}, {@code times} times. */
  private void gate(GpuCommands commands, GpuBuffer gates, GpuBuffer target, int times) {
    gate(kernel, commands, gates, target, times);
  }

  private void gate(
      GpuKernel kernel, GpuCommands commands, GpuBuffer gates, GpuBuffer target, int times) {
    MemorySegment shape = arena.allocateFrom(ValueLayout.JAVA_INT, FLOATS, FLOATS);
    for (int i = 0; i < times; i++) {
      commands.kernel(kernel);
      commands.buffer(0, gates, 0);
      commands.buffer(1, target, 0);
      commands.constants(2, shape, 8);
      commands.dispatch(1, 1, 1, 256);
    }
  }

  @Test
  void buffersBeginWithZerosAndKeepWhatIsWritten() {
    assertArrayEquals(new float[FLOATS], read(device.buffer(arena, "zeros", 4L * FLOATS)));
    GpuBuffer buffer = floats(3);
    GpuBuffer copy = device.buffer(arena, "copy", 8L * FLOATS);
    copy.copy(buffer);
    assertEquals(3, read(copy)[FLOATS - 1]);
    assertThrows(UnsupportedOperationException.class, buffer::data);
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> buffer.read(8, MemorySegment.ofArray(new float[64])));
  }

  @Test
  void whatRunsAgainBecomesAGraph() {
    GpuBuffer gates = floats(2);
    GpuBuffer target = floats(1);
    float factor = (float) (2 / (1 + Math.exp(-2)));
    cuda.soft().takeLaunches();
    double expected = 1;
    for (int run = 1; run <= 4; run++) {
      try (GpuCommands commands = device.commands()) {
        gate(commands, gates, target, 16);
        commands.commit();
        assertFalse(commands.ended());
        commands.await();
        assertTrue(commands.ended());
      }
      expected *= Math.pow(factor, 16);
      assertEquals(1, read(target)[0] / expected, 1e-4, "run " + run);
    }
    // The first run launches 16 kernels, the second captures 16, and three runs launch the graph.
    assertEquals(3L << 32 | 2 * 16, cuda.soft().takeLaunches());
  }

  @Test
  void kernelsSeeWhatWasStagedBeforeThem() {
    GpuBuffer staged = device.staged(arena, "staged", 4L * FLOATS, null);
    GpuBuffer target = floats(1);
    for (int i = 0; i < FLOATS; i++) {
      staged.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, 100);
    }
    try (GpuCommands commands = device.commands()) {
      commands.upload(staged, 0, 4L * FLOATS);
      gate(commands, staged, target, 1);
      commands.commit();
      commands.await();
    }
    assertEquals(100, read(target)[0]);
  }

  @Test
  void aFailureOfTheGpuIsAnExceptionWithItsText() {
    GpuBuffer few = device.buffer(arena, "few", 16);
    GpuBuffer target = floats(1);
    try (GpuCommands commands = device.commands()) {
      gate(commands, few, target, 1);
      commands.commit();
      GpuException e = assertThrows(GpuException.class, commands::await);
      assertTrue(e.getMessage().contains("illegal memory access"), e.getMessage());
    }
    assertThrows(GpuException.class, () -> read(target), "the context is lost");
    assertFalse(cuda.soft().takeFindings().isEmpty());
  }

  /**
   * If any call of the driver fails, the context is released too, because it uses memory of the
   * GPU.
   */
  @Test
  void whateverStepFailsNothingIsLeftBehind() {
    long before = cuda.soft().live();
    int failures = 0;
    for (int call = 1; call < 1_000; call++) {
      cuda.soft().fail(call);
      boolean failed = fails();
      assertEquals(failed, cuda.soft().fail(0) == 0, "call " + call);
      assertEquals(before, cuda.soft().live(), "left behind after call " + call + " failed");
      if (!failed) {
        break;
      }
      failures++;
    }
    assertTrue(failures > 50 && failures < 999, failures + " calls");
    assertEquals(List.of(), cuda.soft().takeFindings());
  }

  private boolean fails() {
    try (CudaDevice other = CudaDevice.open(cuda.soft().library());
        Arena own = Arena.ofShared()) {
      GpuKernel gate = other.kernel(ROWS, "gate");
      GpuBuffer gates = other.staged(own, "gates", 4L * FLOATS, null);
      GpuBuffer target = other.buffer(own, "target", 4L * FLOATS);
      for (int run = 0; run < 3; run++) {
        try (GpuCommands commands = other.commands()) {
          commands.upload(gates, 0, 4L * FLOATS);
          gate(gate, commands, gates, target, 16);
          commands.commit();
          commands.await();
        }
      }
      return false;
    } catch (GpuException e) {
      return true;
    }
  }

  @Test
  void tooLittleMemoryIsOneSentence() {
    cuda.soft().pretend(SoftCuda.SUCCESS, SoftCuda.CUDA_13, SoftCuda.HOPPER, 1 << 20);
    GpuException e =
        assertThrows(GpuException.class, () -> device.buffer(arena, "weights", 2 << 20));
    assertTrue(e.getMessage().startsWith("the GPU has no memory for a buffer of"), e.getMessage());
    assertTrue(e.getMessage().contains("weights"), e.getMessage());
  }

  @Test
  void aReleasedBufferCannotBeUsed() {
    GpuBuffer buffer;
    try (Arena own = Arena.ofShared()) {
      buffer = device.buffer(own, "short-lived", 64);
    }
    assertThrows(
        IllegalStateException.class, () -> buffer.read(0, MemorySegment.ofArray(new float[1])));
  }

  @Test
  void itTellsWhatItIs() {
    assertEquals("Software CUDA", device.name());
    assertEquals("CUDA 13.0, compute capability 9.0", device.driver());
    long before = device.memoryUsed();
    floats(0);
    assertEquals(before + 4L * FLOATS, device.memoryUsed());
    assertTrue(device.memoryBudget() > device.memoryUsed());
  }

  @Test
  void whatCannotBeUsedIsOneSentence() {
    refused("there is no CUDA on this machine", "/no/such/library.so");
    SoftCuda soft = new SoftCuda(SoftMetal.loadOrSkip());
    soft.pretend(SoftCuda.NO_DEVICE, SoftCuda.CUDA_13, SoftCuda.HOPPER, 0);
    refused("no CUDA-capable device is detected", soft.library());
    soft.pretend(SoftCuda.SUCCESS, 11_080, SoftCuda.HOPPER, 0);
    refused("the NVIDIA driver is too old: it has CUDA 11.8", soft.library());
    soft.pretend(SoftCuda.SUCCESS, SoftCuda.CUDA_13, 75, 0);
    refused("compute capability 7.5", soft.library());
  }

  private static void refused(String part, String library) {
    GpuException e = assertThrows(GpuException.class, () -> CudaDevice.open(library));
    assertTrue(e.getMessage().contains(part), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @Test
  void theOldestDriverTakesTheKernels() {
    cuda.soft().pretend(SoftCuda.SUCCESS, 12_000, 80, 0);
    try (CudaDevice old = CudaDevice.open(cuda.soft().library())) {
      assertEquals("CUDA 12.0, compute capability 8.0", old.driver());
      assertEquals("gate", old.kernel(ROWS, "gate").name());
    }
  }

  @Test
  void aModelOfAnotherShapeIsRefusedInOneSentence() {
    KernelLibrary strange = new KernelLibrary("cache-7-3-half", "", List.of());
    assertFalse(device.has(strange));
    GpuException e = assertThrows(GpuException.class, () -> device.kernel(strange, "rotate"));
    assertTrue(e.getMessage().contains("cache-7-3-half"), e.getMessage());
  }
}
