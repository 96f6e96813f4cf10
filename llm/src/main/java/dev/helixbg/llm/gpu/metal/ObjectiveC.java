package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The Objective-C runtime: selectors, classes, reference counts, autorelease pools, strings.
 *
 * <p>Ownership follows Cocoa's rule: what a method whose name begins with {@code new}, {@code
 * alloc}, {@code copy} or {@code Create} returns is owned by the caller and must be released;
 * anything else is autoreleased, and must be retained before its pool closes.
 */
final class ObjectiveC {
  /** {@code nil}. */
  static final long NIL = 0;

  private static final long UTF8 = 4; // NSUTF8StringEncoding

  /** {@code MessageSend} with this runtime's {@code objc_msgSend}. */
  final MessageSend send;

  private final SymbolLookup symbols;
  private final MethodHandle registerName; // SEL sel_registerName(const char*)
  private final MethodHandle getClass; // Class objc_getClass(const char*)
  private final MethodHandle retain; // id objc_retain(id)
  private final MethodHandle release; // void objc_release(id)
  private final MethodHandle push; // void* objc_autoreleasePoolPush(void)
  private final MethodHandle pop; // void objc_autoreleasePoolPop(void*)
  private final Map<String, Long> selectors = new ConcurrentHashMap<>();

  /**
   * @throws GpuException if a library or a function is missing
   */
  ObjectiveC(MetalLibraries libraries) {
    symbols = libraries.load();
    send = new MessageSend(symbol("objc_msgSend"));
    registerName = function("sel_registerName", MessageSend.POINTER_FROM_TEXT);
    getClass = function("objc_getClass", MessageSend.POINTER_FROM_TEXT);
    retain = function("objc_retain", MessageSend.POINTER_FROM_POINTER);
    release = function("objc_release", MessageSend.NOTHING_FROM_POINTER);
    push = function("objc_autoreleasePoolPush", MessageSend.POINTER);
    pop = function("objc_autoreleasePoolPop", MessageSend.NOTHING_FROM_POINTER);
  }

  private MemorySegment symbol(String name) {
    return symbols
        .find(name)
        .orElseThrow(() -> new GpuException("the Metal libraries lack the function " + name));
  }

  MethodHandle function(String name, FunctionDescriptor descriptor) {
    return MessageSend.function(symbol(name), descriptor);
  }

  /** The selector of a method's name, colons included. */
  long selector(String name) {
    return selectors.computeIfAbsent(name, key -> named(registerName, key));
  }

  /** A class. */
  long classOf(String name) {
    long found = named(getClass, name);
    if (found == NIL) {
      throw new GpuException("the Metal libraries lack the class " + name);
    }
    return found;
  }

  private static long named(MethodHandle function, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return (long) function.invokeExact(arena.allocateFrom(name));
    } catch (Throwable e) {
      throw MessageSend.unexpected(e);
    }
  }

  /** One more owner. */
  long retain(long object) {
    try {
      return (long) retain.invokeExact(object);
    } catch (Throwable e) {
      throw MessageSend.unexpected(e);
    }
  }

  /** In a pool of its own: what Metal lets go on the way may be autoreleased. */
  void release(long object) {
    try {
      long token = (long) push.invokeExact();
      release.invokeExact(object);
      pop.invokeExact(token);
    } catch (Throwable e) {
      throw MessageSend.unexpected(e);
    }
  }

  /** Has an owned object released when the arena closes. */
  long releasedBy(Arena arena, long object) {
    MemorySegment.ofAddress(object).reinterpret(arena, segment -> release(object));
    return object;
  }

  /**
   * A pool for what is autoreleased on this thread until it closes. Pools nest, and belong to the
   * platform thread that opened them.
   */
  Pool pool() {
    return new Pool();
  }

  /** An open autorelease pool. */
  final class Pool implements AutoCloseable {
    private final Thread thread = Thread.currentThread();
    private final long token;

    private Pool() {
      if (thread.isVirtual()) {
        throw new IllegalStateException("Metal cannot be used from a virtual thread");
      }
      try {
        token = (long) push.invokeExact();
      } catch (Throwable e) {
        throw MessageSend.unexpected(e);
      }
    }

    @Override
    public void close() {
      if (Thread.currentThread() != thread) {
        throw new IllegalStateException("an autorelease pool is closed by another thread");
      }
      try {
        pop.invokeExact(token);
      } catch (Throwable e) {
        throw MessageSend.unexpected(e);
      }
    }
  }

  /** An owned {@code NSString}. */
  long string(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
      long allocated = send.ask(classOf("NSString"), selector("alloc"));
      return send.ask(
          allocated,
          selector("initWithBytes:length:encoding:"),
          copy.address(),
          bytes.length,
          UTF8);
    }
  }

  /** The text of an {@code NSString}; call it inside a pool. */
  String text(long string) {
    if (string == NIL) {
      return "";
    }
    long characters = send.ask(string, selector("UTF8String"));
    return characters == NIL
        ? ""
        : MemorySegment.ofAddress(characters).reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** What an {@code NSError} says; call it inside a pool. */
  String errorText(long error) {
    return error == NIL
        ? "Metal gave no reason"
        : text(send.ask(error, selector("localizedDescription")));
  }

  /** Names an object for Metal's debugging tools. */
  void label(long object, String label) {
    long string = string(label);
    send.tell(object, selector("setLabel:"), string);
    release(string);
  }
}
