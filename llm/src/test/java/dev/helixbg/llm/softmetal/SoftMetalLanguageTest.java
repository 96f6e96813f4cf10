package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the supported part of the Metal Shading Language with the same computations in Java. */
class SoftMetalLanguageTest extends SoftMetalFixture {
  private static final String BUILTINS =
      "uint i [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]";

  /**
   * Returns the value of each expression in each of 32 threads. One kernel computes all values,
   * because compiling a kernel takes long.
   */
  private float[][] values(String... expressions) {
    StringBuilder body = new StringBuilder();
    for (int n = 0; n < expressions.length; n++) {
      body.append("y[%d + i] = %s;\n".formatted(32 * n, expressions[n]));
    }
    var y = metal.buffer(128L * expressions.length);
    var k =
        metal.pipeline(
            "kernel void k(device float* y [[buffer(0)]], " + BUILTINS + ") {\n" + body + "}");
    assertEquals("", metal.run(k, ONE, size(32), y));
    float[] all = metal.floats(y);
    return IntStream.range(0, expressions.length)
        .mapToObj(n -> Arrays.copyOfRange(all, 32 * n, 32 * n + 32))
        .toArray(float[][]::new);
  }

  /** An expression, and the value that it must have in a thread. */
  private record Value(int thread, double wanted, String expression) {}

  private static Value value(double wanted, String expression) {
    return new Value(0, wanted, expression);
  }

  private static Value value(int thread, double wanted, String expression) {
    return new Value(thread, wanted, expression);
  }

  private void check(Value... wanted) {
    float[][] got = values(Stream.of(wanted).map(Value::expression).toArray(String[]::new));
    for (int n = 0; n < wanted.length; n++) {
      double value = wanted[n].wanted;
      assertEquals(value, got[n][wanted[n].thread], 1e-6 * Math.abs(value), wanted[n].expression);
    }
  }

  @Test
  void vectors() {
    check(
        value(10, "dot(float4(1, 2, 3, 4), float4(1))"),
        value(34, "float4(float2(1, 2), float2(3, 4)).wzyx.y * 10 + float4(float3(1, 2, 3), 4).w"),
        value(6, "float3(1, float2(2, 3)).x + float3(float2(1, 2), 3).z + float2(2).y"),
        value(2.5, "float4(half4(0.5h, 1, 2, 2.5h)).w"),
        value(255, "float(uchar4(uint4(255))[1])"),
        value(-3, "float(char4(-3, 0, 0, 0).x)"),
        value(7, "float4(int4(7)).z"),
        value(2, "float((uint2(1, 2) & 6u).y)"),
        value(5, "metal::length(float2(3, 4))"),
        value(4, "clamp(float4(9), float4(0), float4(4)).x"),
        value(Float.float16ToFloat(Float.floatToFloat16(0.1f)), "float(half(0.1f))"),
        value(0.1f, "as_type<float>(0x3dcccccdu)"),
        value(1.5f, "float(as_type<half>(ushort(0x3e00)))"),
        value(2f, "float(as_type<half2>(0x40000000u).y)"),
        value(4f, "float(as_type<uchar4>(0x04030201u).w)"),
        value(65504f, "float(HALF_MAX)"));
  }

  @Test
  void memoryOfSmallTypes() {
    var x = metal.buffer(0x04030201, 0x08070605);
    var y = metal.buffer(64);
    var k =
        metal.pipeline(
            """
            struct Block { half d; uchar q[6]; };
            constant float table[4] = {1, 10, 100, 1000};
            kernel void k(device const Block* x [[buffer(0)]], device float* y [[buffer(1)]]) {
              device const Block& b = x[0];
              y[0] = float(as_type<ushort>(b.d));
              y[1] = b.q[5];
              packed_uchar4 p = *(device const packed_uchar4*)(b.q + 1);
              y[2] = float(p.x) + table[p.y & 3];
              thread const uchar* local_copy = nullptr;
              uchar copy[2] = {b.q[0], b.q[1]};
              local_copy = copy;
              y[3] = local_copy[1];
            }\
            """);
    assertEquals("", metal.run(k, ONE, ONE, x, y));
    assertArrayEquals(new float[] {0x0201, 8, 4 + 10, 4}, Arrays.copyOf(metal.floats(y), 4));
  }

  @Test
  void simdgroups() {
    check(
        value(31, 496, "simd_sum(float(lane))"),
        value(7, 496, "simd_sum(int(lane))"),
        value(0, 31, "simd_max(float(lane))"),
        value(0, -31, "simd_min(-int(lane))"),
        value(3, 992, "simd_sum(float4(lane, 2 * lane, 0, 1)).y"),
        value(4, 6, "simd_prefix_exclusive_sum(float(lane))"),
        value(4, 10, "simd_prefix_inclusive_sum(lane)"),
        value(9, 5, "simd_broadcast(lane, 5)"),
        value(9, 3, "simd_broadcast_first(lane + 3)"),
        value(9, 10, "simd_shuffle_down(lane, 1)"),
        value(31, 31, "simd_shuffle_down(lane, 1)"),
        value(9, 8, "simd_shuffle_up(lane, 1)"),
        value(9, 8, "simd_shuffle_xor(lane, 1)"),
        value(9, 22, "simd_shuffle(float2(lane), 31 - lane).y"),
        value(9, 1, "simd_any(lane == 7) && !simd_all(lane == 7)"),
        value(9, 0x80, "float((simd_vote::vote_t)simd_ballot(lane == 7))"),
        value(5, 22, "quad_sum(float(lane))"),
        // Lanes that are not active take no part.
        value(0, 6, "lane < 4 ? simd_sum(float(lane)) : 0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"float", "half"})
  void matrices(String type) {
    Random random = new Random(1);
    float[] a = new float[64];
    float[] b = new float[64];
    for (int n = 0; n < 64; n++) {
      a[n] = random.nextInt(-4, 5);
      b[n] = random.nextInt(-4, 5);
    }
    var y = metal.buffer(2 * 64 * 4);
    var k =
        metal.pipeline(
            """
            kernel void k(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]], device float* y [[buffer(2)]],
                          uint i [[thread_index_in_threadgroup]]) {
              threadgroup TYPE at[64], bt[64];
              for (uint n = i; n < 64; n += 32) { at[n] = TYPE(a[n]); bt[n] = TYPE(b[n]); }
              threadgroup_barrier(mem_flags::mem_threadgroup);
              simdgroup_matrix<TYPE, 8, 8> am, bm;
              simdgroup_float8x8 c = make_filled_simdgroup_matrix<float, 8, 8>(1.0f);
              simdgroup_load(am, at, 8);
              simdgroup_load(bm, bt, 8, ulong2(0, 0), true);
              simdgroup_multiply_accumulate(c, am, bm, c);
              simdgroup_store(c, y, 8);
              simdgroup_float8x8 one(1.0f), d;
              simdgroup_multiply(d, c, one);
              simdgroup_store(d, y, 8, ulong2(0, 8), true);
            }\
            """
                .replace("TYPE", type));
    assertEquals("", metal.run(k, ONE, size(32), metal.buffer(a), metal.buffer(b), y));
    float[] got = metal.floats(y);
    for (int row = 0; row < 8; row++) {
      for (int column = 0; column < 8; column++) {
        float wanted = 1;
        for (int n = 0; n < 8; n++) {
          wanted += a[row * 8 + n] * b[column * 8 + n];
        }
        assertEquals(wanted, got[row * 8 + column]);
      }
    }
  }

  @Test
  void math() {
    Map<String, DoubleUnaryOperator> functions = new LinkedHashMap<>();
    functions.put("exp", Math::exp);
    functions.put("exp2", x -> Math.pow(2, x));
    functions.put("log", Math::log);
    functions.put("log2", x -> Math.log(x) / Math.log(2));
    functions.put("sqrt", Math::sqrt);
    functions.put("rsqrt", x -> 1 / Math.sqrt(x));
    functions.put("sin", Math::sin);
    functions.put("cos", Math::cos);
    functions.put("tanh", Math::tanh);
    functions.put("precise::exp", Math::exp);
    functions.put("fast::exp", Math::exp);
    functions.put("floor", Math::floor);
    functions.put("ceil", Math::ceil);
    functions.put("rint", Math::rint);
    float[][] got =
        values(
            functions.keySet().stream().map(f -> f + "(0.37f * (i + 1))").toArray(String[]::new));
    int n = 0;
    for (var function : functions.entrySet()) {
      for (int thread = 0; thread < 32; thread++) {
        double wanted = function.getValue().applyAsDouble(0.37f * (thread + 1));
        assertEquals(
            wanted,
            got[n][thread],
            4e-6 * Math.max(1, Math.abs(wanted)),
            function.getKey() + " " + thread);
      }
      n++;
    }
    check(
        value(8, "pow(2.0f, 3.0f)"),
        value(7, "fma(2.0f, 3.0f, 1.0f)"),
        value(3, "max(max(1, 3), 2)"),
        value(2.5, "mix(2.0f, 3.0f, 0.5f)"),
        value(3, "float(popcount(0x70u) + extract_bits(0x30u, 8, 4))"),
        value(1, "float(isnan(NAN) && isinf(-INFINITY) && !isinf(1.0f))"));
    assertEquals(Float.NEGATIVE_INFINITY, values("max(-INFINITY, -INFINITY)")[0][0]);
  }

  @Test
  void positions() {
    var k =
        metal.pipeline(
            """
            kernel void k(device uint* y [[buffer(0)]],
                          uint3 g [[thread_position_in_grid]], uint3 n [[threads_per_grid]],
                          ushort3 t [[threadgroup_position_in_grid]], uint2 ts [[threadgroups_per_grid]],
                          uint3 l [[thread_position_in_threadgroup]], uint3 ls [[threads_per_threadgroup]],
                          ushort i [[thread_index_in_threadgroup]], uint sg [[simdgroup_index_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]], uint sgs [[simdgroups_per_threadgroup]],
                          uint width [[threads_per_simdgroup]]) {
              uint at = g.x + n.x * (g.y + n.y * g.z);
              bool right = all_right(g, uint3(t), l, ls) && i == l.x + ls.x * (l.y + ls.y * l.z) && sg == i / 32
                  && lane == i % 32 && sgs == 2 && width == 32 && ts.x == 3 && ts.y == 2;
              y[at] = right ? at : 0xffffffffu;
            }\
            """
                .replace(
                    "kernel void",
                    "inline bool all_right(uint3 g, uint3 t, uint3 l, uint3 ls) { return g.x == t.x"
                        + " * ls.x + l.x && g.y == t.y * ls.y + l.y && g.z == t.z * ls.z + l.z; }\n"
                        + "kernel void"));
    int threads = 3 * 8 * 2 * 3 * 2 * 2;
    var y = metal.buffer(new int[threads]);
    assertEquals("", metal.run(k, new RawMetal.Size(3, 2, 2), new RawMetal.Size(8, 3, 2), y));
    assertArrayEquals(IntStream.range(0, threads).toArray(), metal.ints(y));
  }

  @Test
  void atomics() {
    var k =
        metal.pipeline(
            """
            kernel void k(device atomic_uint* n [[buffer(0)]], device atomic_float* f [[buffer(1)]],
                          uint i [[thread_index_in_threadgroup]]) {
              threadgroup atomic_uint count;
              if (i == 0) atomic_store_explicit(&count, 0u, memory_order_relaxed);
              threadgroup_barrier(mem_flags::mem_threadgroup);
              atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);
              atomic_fetch_max_explicit(n, i, memory_order_relaxed);
              atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);
              threadgroup_barrier(mem_flags::mem_threadgroup);
              if (i == 0) atomic_store_explicit(n + 1, atomic_load_explicit(&count, memory_order_relaxed), memory_order_relaxed);
            }\
            """);
    var n = metal.buffer(new int[2]);
    var f = metal.buffer(new float[1]);
    assertEquals("", metal.run(k, ONE, size(64), n, f));
    assertArrayEquals(new int[] {63, 64}, metal.ints(n));
    assertEquals(32, metal.floats(f)[0]);
  }

  @Test
  void templatesMethodsAndMacros() {
    String source =
        """
        #define TYPE half
        #define SCALE(x) ((x) * 2)
        struct Pair { float a, b; float sum() const thread { return a + b; } };
        template <typename T, int N> inline float total(device const T* p) { float s = 0; for (int n = 0; n < N; n++) s += p[n]; return s; }
        #ifdef ABSENT
        kernel void absent(device float* x [[buffer(0)]]) { }
        #endif
        kernel void k(device const TYPE* x [[buffer(0)]], device float* y [[buffer(1)]]) {
          Pair p; p.a = total<TYPE, 2>(x); p.b = 1;
          y[0] = SCALE(p.sum());
        }\
        """;
    var x = metal.buffer(new int[] {0x40003c00}); // 1, 2 as halves
    var y = metal.buffer(4);
    assertEquals("", metal.run(metal.pipeline(source), ONE, ONE, x, y));
    assertEquals(8, metal.floats(y)[0]);
    MemorySegment absent =
        metal.id(metal.library(source), "newFunctionWithName:", metal.string("absent"));
    assertEquals(0, absent.address());
  }
}
