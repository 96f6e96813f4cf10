package dev.helixbg.llm.softmetal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends messages to the software Metal without any checks. The product's own Metal binding is too
 * careful to make the errors that these tests need.
 */
final class RawMetal implements AutoCloseable {
  private static final StructLayout MTL_SIZE =
      MemoryLayout.structLayout(JAVA_LONG, JAVA_LONG, JAVA_LONG);
  static final MemorySegment NIL = MemorySegment.NULL;
  private static final long UTF8 = 4; // NSUTF8StringEncoding

  /** An MTLSize argument. */
  record Size(long width, long height, long depth) {}

  private final SymbolLookup symbols;
  private final MemorySegment send;
  private final Map<FunctionDescriptor, MethodHandle> shapes = new ConcurrentHashMap<>();
  private final Map<String, MemorySegment> selectors = new ConcurrentHashMap<>();
  private final List<MemorySegment> owned = new ArrayList<>();
  final MemorySegment device;
  final MemorySegment queue;

  RawMetal(SoftMetal metal) {
    symbols = SymbolLookup.libraryLookup(metal.library(), Arena.global());
    send = symbols.findOrThrow("objc_msgSend");
    device = own((MemorySegment) call("MTLCreateSystemDefaultDevice", ADDRESS));
    queue = own(id(device, "newCommandQueue"));
  }

  /** Calls a C function. */
  Object call(String function, MemoryLayout result, Object... arguments) {
    return invoke(symbols.findOrThrow(function), result, arguments);
  }

  private Object invoke(MemorySegment function, MemoryLayout result, Object... arguments) {
    MemoryLayout[] layouts = new MemoryLayout[arguments.length];
    Object[] values = new Object[arguments.length];
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < arguments.length; i++) {
        layouts[i] =
            switch (arguments[i]) {
              case MemorySegment _ -> ADDRESS;
              case Long _ -> JAVA_LONG;
              case Size _ -> MTL_SIZE;
              default -> throw new IllegalArgumentException(arguments[i].toString());
            };
        values[i] =
            switch (arguments[i]) {
              case Size s -> arena.allocateFrom(JAVA_LONG, s.width, s.height, s.depth);
              case Object o -> o;
            };
      }
      FunctionDescriptor type =
          result == null
              ? FunctionDescriptor.ofVoid(layouts)
              : FunctionDescriptor.of(result, layouts);
      MethodHandle handle =
          shapes
              .computeIfAbsent(type, t -> Linker.nativeLinker().downcallHandle(t))
              .bindTo(function);
      return handle.invokeWithArguments(values);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  MemorySegment selector(String name) {
    return selectors.computeIfAbsent(
        name,
        n -> (MemorySegment) call("sel_registerName", ADDRESS, Arena.global().allocateFrom(n)));
  }

  Object message(MemoryLayout result, MemorySegment self, String selector, Object... arguments) {
    Object[] all = new Object[arguments.length + 2];
    all[0] = self;
    all[1] = selector(selector);
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return invoke(send, result, all);
  }

  MemorySegment id(MemorySegment self, String selector, Object... arguments) {
    return (MemorySegment) message(ADDRESS, self, selector, arguments);
  }

  long number(MemorySegment self, String selector, Object... arguments) {
    return (long) message(JAVA_LONG, self, selector, arguments);
  }

  void tell(MemorySegment self, String selector, Object... arguments) {
    message(null, self, selector, arguments);
  }

  MemorySegment type(String name) {
    return (MemorySegment) call("objc_getClass", ADDRESS, Arena.global().allocateFrom(name));
  }

  void release(MemorySegment object) {
    call("objc_release", null, object);
  }

  MemorySegment own(MemorySegment object) {
    owned.add(object);
    return object;
  }

  /** Runs something inside an autorelease pool. */
  void pool(Runnable body) {
    MemorySegment pool = (MemorySegment) call("objc_autoreleasePoolPush", ADDRESS);
    try {
      body.run();
    } finally {
      call("objc_autoreleasePoolPop", null, pool);
    }
  }

  MemorySegment string(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(JAVA_BYTE, bytes);
      MemorySegment allocated = id(type("NSString"), "alloc");
      return own(id(allocated, "initWithBytes:length:encoding:", copy, (long) bytes.length, UTF8));
    }
  }

  String text(MemorySegment string) {
    return id(string, "UTF8String").reinterpret(1 << 20).getString(0);
  }

  /** Compiles a library; throws an IllegalArgumentException with the compiler's messages. */
  MemorySegment library(String source) {
    MemorySegment error = Arena.global().allocate(ADDRESS);
    MemorySegment text = string("#include <metal_stdlib>\nusing namespace metal;\n" + source);
    MemorySegment[] library = new MemorySegment[1];
    String[] message = new String[1];
    pool(
        () -> {
          library[0] = id(device, "newLibraryWithSource:options:error:", text, NIL, error);
          if (library[0].address() == 0) {
            message[0] = text(id(error.get(ADDRESS, 0), "localizedDescription"));
          }
        });
    if (message[0] != null) {
      throw new IllegalArgumentException(message[0]);
    }
    return own(library[0]);
  }

  /** Compiles a source and returns the pipeline of its kernel named k. */
  MemorySegment pipeline(String source) {
    MemorySegment function = own(id(library(source), "newFunctionWithName:", string("k")));
    return own(
        id(
            device,
            "newComputePipelineStateWithFunction:error:",
            function,
            Arena.global().allocate(ADDRESS)));
  }

  MemorySegment buffer(long bytes) {
    return own(id(device, "newBufferWithLength:options:", bytes, 0L));
  }

  MemorySegment contents(MemorySegment buffer) {
    return id(buffer, "contents").reinterpret(number(buffer, "length"));
  }

  MemorySegment buffer(float... values) {
    MemorySegment buffer = buffer(4L * values.length);
    MemorySegment.copy(values, 0, contents(buffer), JAVA_FLOAT, 0, values.length);
    return buffer;
  }

  MemorySegment buffer(int... values) {
    MemorySegment buffer = buffer(4L * values.length);
    MemorySegment.copy(values, 0, contents(buffer), JAVA_INT, 0, values.length);
    return buffer;
  }

  float[] floats(MemorySegment buffer) {
    return contents(buffer).toArray(JAVA_FLOAT);
  }

  int[] ints(MemorySegment buffer) {
    return contents(buffer).toArray(JAVA_INT);
  }

  /** Makes a command buffer and its encoder, both retained. */
  Encoding encode(boolean concurrent) {
    MemorySegment[] made = new MemorySegment[2];
    pool(
        () -> {
          made[0] = (MemorySegment) call("objc_retain", ADDRESS, id(queue, "commandBuffer"));
          made[1] =
              (MemorySegment)
                  call(
                      "objc_retain",
                      ADDRESS,
                      id(made[0], "computeCommandEncoderWithDispatchType:", concurrent ? 1L : 0L));
        });
    return new Encoding(made[0], made[1]);
  }

  /** Runs one dispatch to its end and returns the text of the command buffer's error, or "". */
  String run(MemorySegment pipeline, Size groups, Size threads, MemorySegment... buffers) {
    Encoding encoding = encode(false).pipeline(pipeline).buffers(buffers);
    return encoding.dispatch(groups, threads).run();
  }

  @Override
  public void close() {
    for (int i = owned.size() - 1; i >= 0; i--) {
      release(owned.get(i));
    }
    owned.clear();
  }

  /** A command buffer being encoded. */
  final class Encoding {
    final MemorySegment commands;
    final MemorySegment encoder;

    private Encoding(MemorySegment commands, MemorySegment encoder) {
      this.commands = commands;
      this.encoder = encoder;
    }

    Encoding pipeline(MemorySegment pipeline) {
      tell(encoder, "setComputePipelineState:", pipeline);
      return this;
    }

    Encoding buffers(MemorySegment... buffers) {
      for (int i = 0; i < buffers.length; i++) {
        tell(encoder, "setBuffer:offset:atIndex:", buffers[i], 0L, (long) i);
      }
      return this;
    }

    Encoding ints(int index, int... values) {
      try (Arena arena = Arena.ofConfined()) {
        tell(
            encoder,
            "setBytes:length:atIndex:",
            arena.allocateFrom(JAVA_INT, values),
            4L * values.length,
            (long) index);
      }
      return this;
    }

    Encoding dispatch(Size groups, Size threads) {
      tell(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", groups, threads);
      return this;
    }

    Encoding end() {
      tell(encoder, "endEncoding");
      return this;
    }

    Encoding commit() {
      tell(commands, "commit");
      return this;
    }

    /** Ends the encoding, waits for the command buffer, and releases both objects. */
    String finish() {
      String[] error = {""};
      tell(commands, "waitUntilCompleted");
      pool(
          () -> {
            if (number(commands, "status") == 5) {
              error[0] = text(id(id(commands, "error"), "localizedDescription"));
            }
          });
      release();
      return error[0];
    }

    void release() {
      RawMetal.this.release(encoder);
      RawMetal.this.release(commands);
    }

    String run() {
      return end().commit().finish();
    }
  }
}
