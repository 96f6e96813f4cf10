package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.softmetal.SoftMetalSettings.Order;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests errors of running kernels, mostly together with a correct version of the kernel. */
class SoftMetalKernelTest extends SoftMetalFixture {
  private static final String BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);";

  /**
   * Returns a kernel with buffers x (index 0) and y (index 1). In the body, i is a thread's index
   * in its threadgroup, and g its position in the grid.
   */
  private MemorySegment kernel(String body) {
    return metal.pipeline(
        "kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],"
            + " uint i [[thread_index_in_threadgroup]], uint g [[thread_position_in_grid]],"
            + " uint lane [[thread_index_in_simdgroup]]) {\n"
            + body
            + "\n}");
  }

  private final float[] sixteen = new float[16];

  private String run(String body, long groups, long threads) {
    return metal.run(
        kernel(body), size(groups), size(threads), metal.buffer(sixteen), metal.buffer(64 * 4));
  }

  @Test
  void readOutOfBounds() {
    assertEquals("", run("y[i] = x[i];", 1, 16));
    refused(
        "program_source:4: read of 4 bytes out of bounds: buffer(0) 'x' byte 64, which has 64"
            + " bytes",
        run("y[i] = x[i + 1];", 1, 16));
    refused(
        "read of 4 bytes out of bounds: buffer(0) 'x' byte -4",
        run("y[i] = x[int(i) - 1];", 1, 16));
    refused("read of 16 bytes out of bounds", run("y[i] = ((device const float4*)x)[4].x;", 1, 1));
    refused("is in no buffer", run("y[i] = x[1 << 26];", 1, 1));
  }

  @Test
  void writeOutOfBounds() {
    assertEquals("", run("y[i] = 1;", 1, 64));
    refused(
        "write of 4 bytes out of bounds: buffer(1) 'y' byte 256, which has 256 bytes",
        run("y[i + 1] = 1;", 1, 64));
    refused(
        "write of 4 bytes out of bounds: buffer(0) 'x'", run("((device float*)x)[16] = 1;", 1, 1));
  }

  @Test
  void boundsAreThoseOfTheBinding() {
    var k = kernel("y[i] = x[int(i) - 1];");
    var x = metal.buffer(sixteen);
    var encoding = metal.encode(false).pipeline(k).buffers(x, metal.buffer(64));
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", x, 4L, 0L);
    refused("buffer(0) 'x' byte -4", encoding.dispatch(ONE, ONE).run());
  }

  @Test
  void threadgroupMemoryOutOfBounds() {
    String body = "threadgroup float part[16]; part[i SHIFT] = 1; " + BARRIER + " y[i] = part[i];";
    assertEquals("", run(body.replace("SHIFT", ""), 1, 16));
    refused("out of bounds", run(body.replace("SHIFT", "+ 1"), 1, 16));
  }

  @Test
  void boundThreadgroupMemoryOutOfBounds() {
    var k =
        metal.pipeline(
            "kernel void k(device float* y [[buffer(0)]], threadgroup float* part"
                + " [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) { part[i] = i; "
                + BARRIER
                + " y[i] = part[31 - i]; }");
    var y = metal.buffer(128);
    var right = metal.encode(false).pipeline(k).buffers(y);
    metal.tell(right.encoder, "setThreadgroupMemoryLength:atIndex:", 128L, 0L);
    assertEquals("", right.dispatch(ONE, size(32)).run());
    assertEquals(31f, metal.floats(y)[0]);
    var wrong = metal.encode(false).pipeline(k).buffers(y);
    metal.tell(wrong.encoder, "setThreadgroupMemoryLength:atIndex:", 112L, 0L);
    refused(
        "write of 4 bytes out of bounds: threadgroup memory 'part' byte 112, which has 112 bytes",
        wrong.dispatch(ONE, size(32)).run());
  }

  @Test
  void arrayIndexOfAThread() {
    refused(
        "array index out of bounds",
        run("float a[4]; for (int k = 0; k < 4; k++) a[k] = x[k]; y[i] = a[i];", 1, 8));
  }

  @Test
  void misalignedVector() {
    assertEquals("", run("float4 v = *(device const float4*)(x + 4); y[i] = v.x + v.w;", 1, 1));
    refused(
        "misaligned", run("float4 v = *(device const float4*)(x + 1); y[i] = v.x + v.w;", 1, 1));
  }

  @Test
  void divisionByZero() {
    refused("division by zero", run("uint zero = uint(x[0]); y[i] = 1 / zero;", 1, 1));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void missingBarrier(Order order) {
    soft.configure(SoftMetalSettings.STRICT.order(order, 7));
    String body = "threadgroup float part[64]; part[i] = i; BARRIER y[i] = part[63 - i];";
    assertEquals("", run(body.replace("BARRIER", BARRIER), 1, 64));
    refused("threadgroup memory 'part'", run(body.replace("BARRIER", ""), 1, 64));
    // A barrier for the other kind of memory, and a barrier within each simdgroup, do not order the
    // work of different simdgroups.
    refused(
        "threadgroup memory 'part'",
        run(body.replace("BARRIER", "threadgroup_barrier(mem_flags::mem_device);"), 1, 64));
    refused(
        "threadgroup memory 'part'",
        run(body.replace("BARRIER", "simdgroup_barrier(mem_flags::mem_threadgroup);"), 1, 64));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void missingBarrierBeforeMemoryIsUsedAgain(Order order) {
    soft.configure(SoftMetalSettings.STRICT.order(order, 3));
    String body =
        "threadgroup float part[64]; for (uint n = 0; n < 2; n++) { part[i] = i; "
            + BARRIER
            + " y[i] = part[63 - i]; BARRIER }";
    assertEquals("", run(body.replace("BARRIER", BARRIER), 1, 64));
    refused("race on threadgroup memory 'part'", run(body.replace("BARRIER", ""), 1, 64));
  }

  @Test
  void simdgroupBarrierOrdersItsLanes() {
    String body = "threadgroup float part[32]; part[i] = i; BARRIER y[i] = part[31 - i];";
    assertEquals(
        "", run(body.replace("BARRIER", "simdgroup_barrier(mem_flags::mem_threadgroup);"), 1, 32));
    refused(
        "threadgroup memory 'part'",
        run(body.replace("BARRIER", "simdgroup_barrier(mem_flags::mem_none);"), 1, 32));
    refused(
        "threadgroup memory 'part'", run(body.replace("BARRIER", "y[i] = simd_sum(1.0f);"), 1, 32));
  }

  @Test
  void threadgroupMemoryThatNobodyWrote() {
    refused(
        "which nothing in this threadgroup wrote",
        run("threadgroup float part[16]; y[i] = part[i];", 1, 16));
    refused(
        "which nothing in this threadgroup wrote",
        run("threadgroup float part[16]; part[i] += 1; y[i] = part[i];", 1, 16));
    // What the threadgroup before left behind does not count.
    refused(
        "which nothing in this threadgroup wrote",
        run(
            "threadgroup float part[16]; if (g < 16) part[i] = 1; " + BARRIER + " y[g] = part[i];",
            2,
            16));
  }

  @Test
  void raceOnDeviceMemory() {
    assertEquals("", run("y[g] = 1;", 4, 16));
    refused("race on buffer(1) 'y' byte 0: write after a write", run("y[i / 2] = g;", 1, 16));
    refused("another threadgroup", run("y[i] = g;", 2, 16));
    refused("race on buffer(1) 'y'", run("y[g] = 1; y[63 - g] += y[g];", 1, 64));
  }

  @Test
  void raceBetweenThreadgroupsIsNotMendedByABarrierInThem() {
    String body = "y[g] = 1; threadgroup_barrier(mem_flags::mem_device); x0 = y[FROM]; y[g] += x0;";
    body = "float x0; " + body;
    assertEquals("", run(body.replace("FROM", "g"), 2, 16));
    refused("another threadgroup", run(body.replace("FROM", "31 - g"), 2, 16));
  }

  @Test
  void deviceBarrierOrdersAThreadgroup() {
    String body = "y[i] = i; BARRIER float v = y[15 - i]; " + "y[32 + i] = v;";
    assertEquals(
        "", run(body.replace("BARRIER", "threadgroup_barrier(mem_flags::mem_device);"), 1, 16));
    refused("race on buffer(1) 'y'", run(body.replace("BARRIER", BARRIER), 1, 16));
    // After the barrier things are as racy as before.
    refused(
        "race on buffer(1) 'y'",
        run("threadgroup_barrier(mem_flags::mem_device); y[0] = i;", 1, 16));
  }

  @Test
  void halvesAndBytesBesideEachOtherDoNotRace() {
    assertEquals("", run("((device half*)y)[i] = half(i);", 1, 64));
    assertEquals("", run("((device uchar*)y)[i] = uchar(i);", 1, 64));
    refused(
        "race on buffer(1) 'y'",
        run("((device uchar*)y)[i] = 1; ((device ushort*)y)[0] = 1;", 1, 2));
  }

  @Test
  void divergentBarrier() {
    refused(
        "threadgroup_barrier reached by 4 of 64 threads",
        run("if (i > 3) return; " + BARRIER + " y[i] = 1;", 1, 64));
    refused(
        "threads wait at different threadgroup_barriers",
        run("if (i < 32) { " + BARRIER + " y[i] = 1; } else { " + BARRIER + " y[i] = 2; }", 1, 64));
  }

  @Test
  void divergentSimdgroupOperation() {
    assertEquals("", run("y[i] = i < 32 ? simd_sum(1.0f) : simd_sum(2.0f);", 1, 64));
    refused(
        "divergence",
        run("if (lane < 16) y[i] = simd_sum(1.0f); else y[i] = simd_max(1.0f);", 1, 32));
    refused(
        "divergence", run("if (lane < 16) y[i] = simd_sum(1.0f); else { " + BARRIER + " }", 1, 32));
    refused(
        "lane 16, which takes no part",
        run("if (lane < 16) y[i] = simd_shuffle_xor(1.0f, 16);", 1, 32));
    refused(
        "simdgroup_multiply_accumulate with 16 of 32 lanes",
        run(
            "if (lane > 15) return; simdgroup_float8x8 a(1.0f); simdgroup_multiply(a, a, a); y[i] ="
                + " a.element[0];",
            1,
            32));
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void concurrentDispatchesWithoutBarrier(Order order) {
    soft.configure(SoftMetalSettings.STRICT.order(order, 5));
    var k = kernel("y[i] = x[i] + 1;");
    for (boolean barrier : new boolean[] {true, false}) {
      var a = metal.buffer(sixteen);
      var b = metal.buffer(sixteen);
      var c = metal.buffer(sixteen);
      var encoding = metal.encode(true).pipeline(k).buffers(a, b).dispatch(ONE, size(16));
      if (barrier) {
        metal.tell(encoding.encoder, "memoryBarrierWithScope:", 1L);
      }
      String error = encoding.buffers(b, c).dispatch(ONE, size(16)).run();
      if (barrier) {
        assertEquals("", error);
        assertEquals(2f, metal.floats(c)[0]);
      } else {
        refused("race on buffer(0) 'x'", error);
        assertTrue(error.contains("(another threadgroup or dispatch)"), error);
      }
    }
  }

  @Test
  void serialDispatchesAndEncodersAreOrdered() {
    var k = kernel("y[i] = x[i] + 1;");
    var a = metal.buffer(sixteen);
    var b = metal.buffer(sixteen);
    assertEquals(
        "",
        metal
            .encode(false)
            .pipeline(k)
            .buffers(a, b)
            .dispatch(ONE, size(16))
            .buffers(b, a)
            .dispatch(ONE, size(16))
            .run());
    assertEquals("", metal.encode(true).pipeline(k).buffers(a, b).dispatch(ONE, size(16)).run());
    assertEquals(3f, metal.floats(b)[0]);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void aRightKernelGivesTheSameInEveryOrderAndOnEveryCore(Order order) {
    String body =
        "threadgroup float part[2]; float s = simd_sum(float(g)); if (lane == 0) part[i / 32] = s; "
            + BARRIER
            + " y[g] = part[0] + part[1];";
    var k = kernel(body);
    for (boolean checks : new boolean[] {true, false}) {
      soft.configure(SoftMetalSettings.STRICT.order(order, 11).checks(checks));
      var y = metal.buffer(4 * 64 * 100);
      assertEquals("", metal.run(k, size(100), size(64), metal.buffer(sixteen), y));
      for (int n = 0; n < 6400; n++) {
        int first = n / 64 * 64;
        assertEquals(64f * first + 63 * 32, metal.floats(y)[n]);
      }
    }
  }
}
