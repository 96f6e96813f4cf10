package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.gpu.driver.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
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
  private final NativeFunction registerName; // SEL sel_registerName(const char*)
  private final NativeFunction getClass; // Class objc_getClass(const char*)
  private final NativeFunction retain; // id objc_retain(id)
  private final NativeFunction release; // void objc_release(id)
  private final NativeFunction push; // void* objc_autoreleasePoolPush(void)
  private final NativeFunction pop; // void objc_autoreleasePoolPop(void*)
  private final Map<String, Long> selectors = new ConcurrentHashMap<>();

  /**
   * @throws GpuException if a library or a function is missing
   */
  ObjectiveC(MetalLibraries libraries) {
    symbols = libraries.load();
    send = new MessageSend(function("objc_msgSend"));
    registerName = function("sel_registerName");
    getClass = function("objc_getClass");
    retain = function("objc_retain");
    release = function("objc_release");
    push = function("objc_autoreleasePoolPush");
    pop = function("objc_autoreleasePoolPop");
  }

  NativeFunction function(String name) {
    return symbols
        .find(name)
        .map(NativeFunction::new)
        .orElseThrow(() -> new GpuException("the Metal libraries lack the function " + name));
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

  private static long named(NativeFunction function, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return function.call(arena.allocateFrom(name).address());
    }
  }

  /** One more owner. */
  long retain(long object) {
    return retain.call(object);
  }

  /** In a pool of its own: what Metal lets go on the way may be autoreleased. */
  void release(long object) {
    long token = push.call(0);
    release.call(object);
    pop.call(token);
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
      token = push.call(0);
    }

    @Override
    public void close() {
      if (Thread.currentThread() != thread) {
        throw new IllegalStateException("an autorelease pool is closed by another thread");
      }
      pop.call(token);
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
    send.ask(object, selector("setLabel:"), string);
    release(string);
  }
}
