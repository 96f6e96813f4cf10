package dev.helixbg.llm.softmetal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests sources that are refused as on a Mac, with the compiler's messages in an NSError. */
class SoftMetalSourceTest extends SoftMetalFixture {
  private static final String KERNEL =
      "kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { %s }";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // A parameter, a local variable, a reference, a return type, a field, a type alias, a
        // template.
        "inline float f(const float* p) { return *p; } | x[i] = f(x);                     | 'p' has"
            + " no address space",
        "                                              | float* p = (float*)x; p[i] = 1;    | 'p'"
            + " has no address space",
        "inline void f(float& r) { r = 1; }            | f(x[i]);                           | 'r'"
            + " has no address space",
        "inline float* f(device float* p) { return (float*)p; } | *f(x) = 1;               | 'f'"
            + " has no address space",
        "struct S { float* p; };                       | S s; s.p = (float*)x; *s.p = 1;   | 'p'"
            + " has no address space",
        "typedef float* P;                             | P p = (P)x; p[i] = 1;             | 'P'"
            + " has no address space",
        "template <class T> float f(T* p) { return *p; } | x[i] = f(x + 1);                | 'p'"
            + " has no address space",
        "                                              | auto p = (float*)x; p[i] = 1;     | has no"
            + " address space",
        // Spaces that do not fit.
        "                                              | threadgroup float* p = x; p[i] = 1; |"
            + " '__local float",
        "constant float table[2] = {1, 2};             | table[i] = 1;                     |"
            + " error:",
        "inline float f() { threadgroup float a[2]; a[0] = 1; return a[0]; } | x[i] = f(); |"
            + " address space",
        "float counter = 0;                            | x[i] = counter;                   | must"
            + " be in the constant address space",
        "                                              | static float n = 0; x[i] = n;      | must"
            + " be in the constant address space",
        "                                              | ((float*)x)[i] = 1;                |"
            + " pointer type of a cast has no address space",
      })
  void refuses(String outside, String inside, String message) {
    String source = (outside == null ? "" : outside) + "\n" + KERNEL.formatted(inside);
    String error =
        assertThrows(IllegalArgumentException.class, () -> metal.library(source)).getMessage();
    assertTrue(error.contains(message), error);
    assertTrue(error.contains("program_source:"), error);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "float* x [[buffer(0)]]                                  | address space",
        "device float* x                                         | has no attribute",
        "device float* x [[buffer(31)]]                          | an index above 30",
        "device float* x [[buffer(0)]], device float* y [[buffer(0)]] | have the same index",
        "device float* x [[buffer(0)]], uint i [[thread_index]]  | [[thread_index]]",
        "float x [[buffer(0)]]                                   | neither a pointer nor a"
            + " reference",
      })
  void refusesSignatures(String parameters, String message) {
    String source = "kernel void k(" + parameters + ") { }";
    String error =
        assertThrows(IllegalArgumentException.class, () -> metal.library(source)).getMessage();
    assertTrue(error.contains(message), error);
  }

  @Test
  void tellsTheLine() {
    String error =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    metal.library(
                        "\ninline void f(float* p) { *p = 0; }\n" + KERNEL.formatted("f(x);")))
            .getMessage();
    assertTrue(error.contains("program_source:4: error: pointer or reference type of 'p'"), error);
  }

  @Test
  void refusesTooMuchThreadgroupMemory() {
    String kernel =
        "kernel void k(device float* x [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {"
            + " threadgroup float a[N]; a[i] = 1; x[i] = a[i]; }";
    assertNotEquals(0, metal.pipeline(kernel.replace("N", "8192")).address());
    var library = metal.library(kernel.replace("N", "8193"));
    var function = metal.own(metal.id(library, "newFunctionWithName:", metal.string("k")));
    var error = java.lang.foreign.Arena.global().allocate(java.lang.foreign.ValueLayout.ADDRESS);
    metal.pool(
        () -> {
          assertEquals(
              0,
              metal
                  .id(metal.device, "newComputePipelineStateWithFunction:error:", function, error)
                  .address());
          var text =
              metal.id(error.get(java.lang.foreign.ValueLayout.ADDRESS, 0), "localizedDescription");
          assertTrue(
              metal.text(text).contains("exceeds the maximum threadgroup memory"),
              metal.text(text));
        });
  }

  @Test
  void refusesTooMuchMemoryOfAThread() {
    String kernel =
        "kernel void k(device float* x [[buffer(0)]], constant uint& n [[buffer(1)]]) { float a[N];"
            + " for (uint i = 0; i < n; i++) a[i] = x[i]; for (uint i = 0; i < n; i++) x[i] = a[n -"
            + " i]; }";
    metal.library(kernel.replace("N", "4096"));
    String error =
        assertThrows(
                IllegalArgumentException.class, () -> metal.library(kernel.replace("N", "16384")))
            .getMessage();
    assertTrue(error.contains("stack frame size"), error);
  }

  @Test
  void knowsTheKernels() {
    var library =
        metal.library(
            "kernel void a(device float* x [[buffer(0)]]) { *x = 1; } /* kernel void b( */ //"
                + " kernel void c(\n"
                + "[[max_total_threads_per_threadgroup(64)]] kernel void d(constant uint& n"
                + " [[buffer(0)]]) { }");
    assertEquals(0, metal.id(library, "newFunctionWithName:", metal.string("b")).address());
    var function = metal.own(metal.id(library, "newFunctionWithName:", metal.string("d")));
    var pipeline =
        metal.own(
            metal.id(
                metal.device,
                "newComputePipelineStateWithFunction:error:",
                function,
                java.lang.foreign.Arena.global().allocate(java.lang.foreign.ValueLayout.ADDRESS)));
    assertEquals(64, metal.number(pipeline, "maxTotalThreadsPerThreadgroup"));
  }
}
