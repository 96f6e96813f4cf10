package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.cuda.CudaDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.metal.MetalDevice;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.softmetal.SoftCuda;
import dev.helixbg.llm.softmetal.SoftMetal;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
@DisabledIfSystemProperty(named = "gpu.real", matches = "true")
class GpuOpeningTest {
  private static final PassLimits LIMITS = new PassLimits(512, 64, 8);

  private SoftMetal metal;
  private SoftCuda cuda;

  @BeforeEach
  void pretendGpus() {
    metal = SoftMetal.loadOrSkip();
    cuda = new SoftCuda(metal);
    cuda.configure(SoftMetalSettings.FAST);
    System.setProperty(CudaDevice.PROPERTY, cuda.library());
  }

  @AfterEach
  void forgetGpus() {
    System.clearProperty(CudaDevice.PROPERTY);
    System.clearProperty(MetalDevice.PROPERTY);
    MetalTests.releaseRested();
    if (metal != null) { // else the test was skipped
      assertEquals(List.of(), metal.takeFindings());
    }
  }

  private static TextModel open(Device device) {
    ModelOptions options = new ModelOptions(device, 1, LIMITS);
    return ModelOpener.open(GoldenModel.Q8_0.path(), options);
  }

  @Test
  void aModelThatTheGpuHasNoRoomForIsRefusedBeforeItIsThere() {
    cuda.pretend(SoftCuda.SUCCESS, SoftCuda.CUDA_13, SoftCuda.HOPPER, 1 << 20);
    GpuException e = assertThrows(GpuException.class, () -> open(Device.CUDA));
    assertTrue(e.getMessage().startsWith("the model with a full context needs"), e.getMessage());
    assertEquals(0, cuda.live(), "left behind");
    try (TextModel model = open(Device.AUTO)) {
      assertEquals("cpu", model.backend().name());
      assertTrue(model.warnings().contains(e.getMessage() + "; the CPU runs the model"));
    }
  }

  /** Counters do not count the rehearsal, which opening a model runs. */
  @Test
  void countersBeginAfterTheRehearsal() {
    System.setProperty(MetalDevice.PROPERTY, metal.library().toString());
    ModelOptions options = new ModelOptions(Device.METAL, 1, LIMITS);
    try (TextModel model = ModelOpener.open(GoldenModel.Q8_0.path(), options);
        Session session = model.session()) {
      assertEquals(Map.of(), model.backend().counters().snapshot());
      GenerationOptions one = new GenerationOptions(1, Set.of());
      model.generate(session, new int[15], one, id -> {}, () -> false);
      assertEquals(1, model.backend().counters().get(Counter.PASSES));
      assertEquals(1, model.backend().counters().get(Counter.MOST_IN_FLIGHT));
    }
  }

  /** Opening compiles all kernels: a library for each type and use, and the library of helpers. */
  @Test
  void nothingIsCompiledAfterAModelWasOpened() {
    System.setProperty(MetalDevice.PROPERTY, metal.library().toString());
    try (TextModel model = open(Device.METAL)) {
      List<String> compiled = compiled();
      assertFalse(compiled.isEmpty());
      int[] prompt = GoldenModel.Q8_0.cases().getFirst().promptIds();
      try (Session session = model.session()) {
        GenerationOptions options = new GenerationOptions(4, Set.of());
        model.generate(session, prompt, options, id -> {}, () -> false);
        List<int[]> choices = List.of(new int[] {5, 6}, new int[] {5, 7}, new int[] {8});
        model.choose(session, List.of(prompt, prompt), choices, () -> false);
        model.generateAll(
            session, List.of(prompt, prompt), new GenerationOptions(3, Set.of()), () -> false);
      }
      List<String> more = new ArrayList<>(compiled());
      more.removeAll(compiled);
      assertEquals(List.of(), more);
    }
    List<String> kept = compiled();
    assertFalse(kept.isEmpty(), "the device rests with what was compiled for it");
    long before = metal.compiledKernels();
    try (TextModel again = open(Device.METAL)) {
      assertEquals(kept, compiled());
      assertEquals(before, metal.compiledKernels());
    }
    MetalTests.releaseRested();
    assertEquals(List.of(), metal.liveObjects());
  }

  private List<String> compiled() {
    return metal.liveObjects().stream()
        .filter(line -> line.contains("MTLLibrary") || line.contains("MTLComputePipelineState"))
        .toList();
  }
}
