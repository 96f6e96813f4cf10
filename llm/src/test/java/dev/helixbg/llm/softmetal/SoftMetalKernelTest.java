package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.softmetal.SoftMetalSettings.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the software Metal refuses in a running kernel, beside the same kernel done right. */
class SoftMetalKernelTest extends SoftMetalFixture {
  @Test
  void runsAKernel() {
    var k =
        metal.pipeline(
            "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
                + " uint i [[thread_position_in_grid]]) { y[i] = x[i] * 2; }");
    var x = metal.buffer(1f, 2f, 3f, 4f);
    var y = metal.buffer(16);
    assertEquals("", metal.run(k, size(2), size(2), x, y));
    assertEquals(8f, metal.floats(y)[3]);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void missingBarrier(Order order) {
    soft.configure(SoftMetalSettings.STRICT.order(order, 7));
    String kernel =
        "kernel void k(device float* y [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {"
            + " threadgroup float part[64]; part[i] = i; BARRIER y[i] = part[63 - i]; }";
    String barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
    var y = metal.buffer(256);
    assertEquals(
        "", metal.run(metal.pipeline(kernel.replace("BARRIER", barrier)), ONE, size(64), y));
    assertEquals(63f, metal.floats(y)[0]);
    refused(
        "threadgroup memory 'part'",
        metal.run(metal.pipeline(kernel.replace("BARRIER", "")), ONE, size(64), y));
  }

  @Test
  void readOutOfBounds() {
    var k =
        metal.pipeline(
            "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
                + " uint i [[thread_position_in_grid]]) {\n\n y[i] = x[i + 1]; }");
    var x = metal.buffer(16);
    var y = metal.buffer(16);
    refused(
        "program_source:5: read of 4 bytes out of bounds: buffer(0) 'x' byte 16, which has 16"
            + " bytes",
        metal.run(k, ONE, size(4), x, y));
  }
}
