package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
class CommandBufferRingTest {
  private static final String OUT_OF_BOUNDS =
      """
      #include <metal_stdlib>
      using namespace metal;
      kernel void wrong(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
        x[i + 100000] = 1;
      }
      """;

  private final BackendCounters counters = new BackendCounters();
  private MetalTests metal;
  private CommandBufferRing inFlight;

  @BeforeEach
  void open() {
    metal = new MetalTests(SoftMetalSettings.STRICT.lazy(true));
    inFlight = new CommandBufferRing(metal.device(), counters);
  }

  @AfterEach
  void close() {
    if (metal != null) {
      metal.close();
    }
  }

  private Submission submit() {
    inFlight.begin();
    return inFlight.commit();
  }

  @Test
  void asManyAreOnTheirWayAsTheRingIsDeepAndTheNextWaitsForTheOldest() {
    int depth = CommandBufferRing.DEPTH;
    for (int i = 0; i < depth; i++) {
      submit();
    }
    assertEquals(0, counters.get(Counter.WAITS));
    submit();
    assertEquals(1, counters.get(Counter.WAITS));
    assertEquals(depth, counters.get(Counter.MOST_IN_FLIGHT));
    inFlight.last().await();
    assertEquals(depth + 1, counters.get(Counter.SUBMISSIONS));
  }

  @Test
  void waitingForOneIsWaitingForAllBeforeIt() {
    List<Submission> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(submit());
    }
    all.get(2).await();
    all.get(1).await();
    all.get(0).await();
    assertEquals(1, counters.get(Counter.WAITS));
  }

  @Test
  void aFailureReachesWhoeverWaitsAndLeavesNothingBehind() {
    try (Arena arena = Arena.ofShared()) {
      GpuBuffer buffer = metal.device().buffer(arena, "few", 16);
      GpuCommands commands = inFlight.begin();
      commands.kernel(metal.kernel("wrong", OUT_OF_BOUNDS));
      commands.buffer(0, buffer, 0);
      commands.dispatch(1, 1, 1, 1);
      Submission failing = inFlight.commit();
      submit();
      assertThrows(GpuException.class, failing::await);
      inFlight.last().await();
    }
    assertEquals(1, metal.takeFindings().size());
  }

  @Test
  void whatWasBegunAndNeverCommittedIsDropped() {
    submit();
    inFlight.begin();
    inFlight.last().await();
    inFlight.abandon();
  }
}
