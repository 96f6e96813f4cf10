package dev.helixbg.llm.softmetal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/**
 * Tests wrong calls, which the software Metal refuses, and guarantees that the Metal binding needs.
 */
class SoftMetalApiTest extends SoftMetalFixture {
  private static final String ADD =
      "struct P { uint n; float add; };kernel void k(device const float* x [[buffer(0)]], device"
          + " float* y [[buffer(1)]], constant P& p [[buffer(2)]], uint i"
          + " [[thread_position_in_grid]]) { if (i < p.n) y[i] = x[i] + p.add; }";

  private static final String ENCODER = "computeCommandEncoderWithDispatchType:";

  private RawMetal.Encoding add(MemorySegment x, MemorySegment y) {
    return add(metal.pipeline(ADD), x, y);
  }

  private RawMetal.Encoding add(MemorySegment pipeline, MemorySegment x, MemorySegment y) {
    return metal
        .encode(false)
        .pipeline(pipeline)
        .buffers(x, y)
        .ints(2, 4, Float.floatToRawIntBits(1));
  }

  private RawMetal.Encoding add() {
    return add(metal.buffer(1f, 2f, 3f, 4f), metal.buffer(16));
  }

  @Test
  void unboundBuffer() {
    var encoding =
        metal.encode(false).pipeline(metal.pipeline(ADD)).buffers(metal.buffer(16)).ints(2, 4, 0);
    assertTrue(encoding.dispatch(ONE, size(4)).run().contains("is not bound"));
    found("kernel k: buffer(1) 'y' is not bound");
  }

  @Test
  void wrongStructSize() {
    var pipeline = metal.pipeline(ADD);
    var encoding = metal.encode(false).pipeline(pipeline);
    encoding.buffers(metal.buffer(16), metal.buffer(16)).ints(2, 4, 0, 0);
    encoding.dispatch(ONE, size(4)).run();
    found("buffer(2) 'p' is bound to 12 bytes");
    encoding = metal.encode(false).pipeline(pipeline);
    encoding.buffers(metal.buffer(16), metal.buffer(16), metal.buffer(4));
    encoding.dispatch(ONE, size(4)).run();
    found("buffer(2) 'p' is bound to 4 bytes, its type needs 8");
  }

  @Test
  void wrongThreadgroupSize() {
    add().dispatch(ONE, size(1025)).run();
    found("1025 x 1 x 1 threads per threadgroup, where 1 to 1024 are allowed");
    add().dispatch(ONE, new RawMetal.Size(32, 33, 1)).run();
    found("32 x 33 x 1 threads per threadgroup");
    add().dispatch(ONE, new RawMetal.Size(32, 0, 1)).run();
    found("32 x 0 x 1 threads per threadgroup");
    add().dispatch(size(0), size(32)).run();
    found("the grid is empty");
  }

  @Test
  void threadgroupMemory() {
    String kernel =
        "kernel void k(threadgroup float* a [[threadgroup(0)]]) { threadgroup float b[4096]; a[0] ="
            + " 1; b[0] = 1; }";
    var k = metal.pipeline(kernel);
    var encoding = metal.encode(false).pipeline(k);
    metal.tell(encoding.encoder, "setThreadgroupMemoryLength:atIndex:", 24L, 0L);
    found("24 bytes, where a multiple of 16 up to 32768 is needed");
    encoding.dispatch(ONE, ONE);
    found("threadgroup(0) 'a' has 0 bytes");
    metal.tell(encoding.encoder, "setThreadgroupMemoryLength:atIndex:", 32784L, 0L);
    found("32784 bytes, where a multiple of 16 up to 32768 is needed");
    metal.tell(encoding.encoder, "setThreadgroupMemoryLength:atIndex:", 32768L, 0L);
    encoding.dispatch(ONE, ONE).run();
    found("of threadgroup memory, where 32768 is the limit");
  }

  @Test
  void useAfterRelease() {
    var buffer = metal.id(metal.device, "newBufferWithLength:options:", 64L, 0L);
    metal.release(buffer);
    metal.id(buffer, "contents");
    found("contents: sent to a deallocated MTLBuffer");
    var encoding = metal.encode(false);
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", buffer, 0L, 0L);
    found("setBuffer:offset:atIndex:: sent to a deallocated MTLBuffer");
    encoding.run();
  }

  @Test
  void overRelease() {
    var buffer = metal.id(metal.device, "newBufferWithLength:options:", 64L, 0L);
    metal.release(buffer);
    metal.release(buffer);
    found("release: sent to a deallocated MTLBuffer");
    // An object that a pool will release must not be released before.
    metal.pool(() -> metal.release(metal.id(metal.queue, "commandBuffer")));
    found("an autoreleased object was released once too often");
  }

  @Test
  void leaks() {
    var buffer = metal.id(metal.device, "newBufferWithLength:options:", 64L, 0L);
    metal.tell(buffer, "setLabel:", metal.string("activations"));
    assertTrue(
        soft.liveObjects().contains("1 MTLBuffer 'activations'"),
        () -> soft.liveObjects().toString());
    metal.release(buffer);
    assertFalse(soft.liveObjects().contains("1 MTLBuffer 'activations'"));
    var encoding = add().dispatch(ONE, size(4)).end().commit();
    metal.tell(encoding.commands, "waitUntilCompleted");
    assertTrue(
        soft.liveObjects().contains("1 MTLCommandBuffer"), () -> soft.liveObjects().toString());
    encoding.release();
    assertFalse(soft.liveObjects().contains("1 MTLCommandBuffer"));
  }

  @Test
  void noPool() {
    var commands = metal.id(metal.queue, "commandBuffer");
    found("MTLCommandBuffer autoreleased with no pool in place");
    metal.release(commands);
    metal.call("objc_autoreleasePoolPop", null, MemorySegment.ofAddress(16));
    found("is not on this thread's stack");
  }

  @Test
  void encodingAfterEndEncoding() {
    var encoding = add().dispatch(ONE, size(4)).end();
    encoding.pipeline(metal.pipeline(ADD));
    found("setComputePipelineState:: after endEncoding");
    encoding.dispatch(ONE, size(4));
    found("dispatchThreadgroups:threadsPerThreadgroup:: after endEncoding");
    encoding.end();
    found("endEncoding: after endEncoding");
    assertEquals("", encoding.commit().finish());
  }

  @Test
  void twoOpenEncoders() {
    var encoding = add().dispatch(ONE, size(4));
    assertEquals(0, metal.id(encoding.commands, ENCODER, 0L).address());
    found("another encoder of this command buffer is still open");
    assertEquals("", encoding.run());
  }

  @Test
  void encoderReleasedBeforeItsEnd() {
    metal.pool(() -> metal.id(metal.id(metal.queue, "commandBuffer"), ENCODER, 0L));
    found("an encoder was released without endEncoding");
  }

  @Test
  void commitTwice() {
    var encoding = add().dispatch(ONE, size(4)).end().commit().commit();
    found("commit: the command buffer is already committed");
    metal.pool(() -> metal.id(encoding.commands, ENCODER, 0L));
    found(ENCODER + ": the command buffer is already committed");
    assertEquals("", encoding.finish());
  }

  @Test
  void commitWithAnOpenEncoder() {
    var encoding = add().dispatch(ONE, size(4)).commit();
    found("commit: an encoder is still open (no endEncoding)");
    assertEquals("", encoding.run());
  }

  @Test
  void waitWithoutCommit() {
    var encoding = add().dispatch(ONE, size(4)).end();
    metal.tell(encoding.commands, "waitUntilCompleted");
    found("waitUntilCompleted: the command buffer was not committed");
    encoding.release();
  }

  @Test
  void readingBeforeCompletion() {
    soft.configure(SoftMetalSettings.STRICT.lazy(true));
    var y = metal.buffer(-7f, -7f, -7f, -7f);
    var encoding = add(metal.buffer(1f, 2f, 3f, 4f), y).dispatch(ONE, size(4)).end().commit();
    assertEquals(-7f, metal.floats(y)[0]);
    assertEquals("", encoding.finish());
    assertEquals(2f, metal.floats(y)[0]);
  }

  @Test
  void writingAfterCommit() {
    soft.configure(SoftMetalSettings.STRICT.lazy(true));
    var x = metal.buffer(1f, 2f, 3f, 4f, 5f);
    var encoding = add(x, metal.buffer(16)).dispatch(ONE, size(4)).end().commit();
    metal.contents(x).setAtIndex(JAVA_FLOAT, 4, 50f); // not read by the kernel: allowed
    assertEquals("", encoding.finish());
    encoding = add(x, metal.buffer(16)).dispatch(ONE, size(4)).end().commit();
    metal.contents(x).setAtIndex(JAVA_FLOAT, 2, 30f);
    refused(
        "read of buffer(0) 'x' byte 8, which the CPU wrote between commit and completion",
        encoding.finish());
  }

  @Test
  void noCopy() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pages = arena.allocate(32768, 16384);
      for (long[] wrong : new long[][] {{2048, 16384}, {0, 16383}, {0, 0}}) {
        var refused =
            metal.id(
                metal.device,
                "newBufferWithBytesNoCopy:length:options:deallocator:",
                pages.asSlice(wrong[0]),
                wrong[1],
                0L,
                RawMetal.NIL);
        assertEquals(0, refused.address());
        found("is not a multiple of the page size");
      }
    }
  }

  @Test
  void buffers() {
    assertArrayEquals(new int[5], metal.ints(metal.buffer(20)));
    assertEquals(0, metal.id(metal.device, "newBufferWithLength:options:", 0L, 0L).address());
    found("0 bytes, where 1 to");
    assertEquals(0, metal.id(metal.device, "newBufferWithLength:options:", 64L, 0x20L).address());
    found("storage mode 2, where the CPU needs shared");
    assertEquals(0, metal.id(metal.device, "newBufferWithLength:options:", 64L, 0x100L).address());
    found("an untracked buffer");
  }

  @Test
  void setBytesOf4Kilobytes() {
    var k =
        metal.pipeline(
            "kernel void k(constant uint* p [[buffer(0)]], device uint* y [[buffer(1)]]) { *y ="
                + " p[1]; }");
    var y = metal.buffer(new int[1]);
    var encoding = metal.encode(false).pipeline(k);
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", y, 0L, 1L);
    encoding.ints(0, new int[1024]);
    found("setBytes:length:atIndex:: 4096 bytes");
    int[] most = new int[1023];
    most[1] = 5;
    assertEquals("", encoding.ints(0, most).dispatch(ONE, ONE).run());
    assertArrayEquals(new int[] {5}, metal.ints(y));
  }

  @Test
  void indicesAndOffsets() {
    var encoding = add();
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", metal.buffer(64), 0L, 31L);
    found("index 31, where 30 is the last");
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", metal.buffer(64), 64L, 0L);
    found("offset 64 of a buffer of 64 bytes");
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", metal.buffer(64), 2L, 0L);
    encoding.dispatch(ONE, size(4)).run();
    found("buffer(0) 'x' is bound at offset 2, which is no multiple of 4");
  }

  @Test
  void unknownSelectorsAndClasses() {
    metal.tell(metal.queue, "endEncodings");
    found("endEncodings: unrecognized selector sent to MTLCommandQueue");
    assertEquals(0, metal.type("MTLNothing").address());
    metal.id(RawMetal.NIL, "contents");
    found("contents: sent to nil");
    metal.id(MemorySegment.ofAddress(0x1230), "contents");
    found("contents: sent to 0x1230, which is not an object");
  }

  @Test
  void nilAndWrongArguments() {
    MemorySegment error = Arena.global().allocate(ADDRESS);
    metal.id(
        metal.device, "newLibraryWithSource:options:error:", RawMetal.NIL, RawMetal.NIL, error);
    found("nil where a NSString is needed");
    metal.id(metal.device, "newComputePipelineStateWithFunction:error:", RawMetal.NIL, error);
    found("nil where a MTLFunction is needed");
    metal.id(metal.library(ADD), "newFunctionWithName:", RawMetal.NIL);
    found("nil where a NSString is needed");
    var encoding = add();
    metal.tell(encoding.encoder, "setComputePipelineState:", RawMetal.NIL);
    found("nil where a MTLComputePipelineState is needed");
    metal.tell(encoding.encoder, "setBuffer:offset:atIndex:", metal.queue, 0L, 0L);
    found("a MTLCommandQueue where a MTLBuffer is needed");
    metal.tell(encoding.encoder, "setBytes:length:atIndex:", RawMetal.NIL, 8L, 2L);
    found("setBytes:length:atIndex:: 8 bytes at (nil)");
    metal.tell(encoding.encoder, "memoryBarrierWithScope:", 2L);
    found("scope 2 does not cover buffers");
    encoding.end().release();
    var empty = metal.encode(false).dispatch(ONE, ONE);
    found("no pipeline state is set");
    empty.end().release();
  }
}
