package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Binding to the Objective-C runtime: libraries, selectors, classes, messages, reference counts,
 * autorelease pools, strings.
 *
 * <p>Ownership follows Cocoa's rule. The caller owns and must release the result of a method whose
 * name begins with {@code new}, {@code alloc}, {@code copy} or {@code Create}. Other results are
 * autoreleased, and must be retained before their pool closes.
 */
final class ObjectiveC {
  static final long NIL = 0;

  private static final long UTF8 = 4; // NSUTF8StringEncoding

  private static final String FRAMEWORKS = "/System/Library/Frameworks/%s.framework/%<s";

  /**
   * Apple's libraries, which are loaded. CoreGraphics is never called, but without it Metal may
   * find no default device.
   */
  private static final List<String> SYSTEM =
      List.of(
          "/usr/lib/libobjc.A.dylib",
          FRAMEWORKS.formatted("Foundation"),
          FRAMEWORKS.formatted("CoreGraphics"),
          FRAMEWORKS.formatted("Metal"));

  /** Struct layouts and method handles, initialised only on machines with Metal. */
  static final class Shapes {
    /** The struct {@code MTLSize}: three unsigned 64-bit numbers. */
    static final StructLayout SIZE =
        MemoryLayout.structLayout(
            JAVA_LONG.withName("width"), JAVA_LONG.withName("height"), JAVA_LONG.withName("depth"));

    private static final MethodHandle SIZES =
        Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, SIZE, SIZE));
  }

  private final SymbolLookup symbols;
  private final NativeFunction send; // objc_msgSend, never variadic
  private final NativeFunction registerName; // SEL sel_registerName(const char*)
  private final NativeFunction getClass; // Class objc_getClass(const char*)
  private final NativeFunction retain; // id objc_retain(id)
  private final NativeFunction release; // void objc_release(id)
  private final NativeFunction push; // void* objc_autoreleasePoolPush(void)
  private final NativeFunction pop; // void objc_autoreleasePoolPop(void*)
  private final Map<String, Long> selectors = new ConcurrentHashMap<>();

  /**
   * Loads the runtime's libraries, which stay loaded until the process ends.
   *
   * @param library path of a library that replaces all of Apple's libraries, or empty
   * @throws GpuException if a library or a function is missing
   */
  ObjectiveC(String library) {
    symbols = library.isEmpty() ? load(SYSTEM) : load(List.of(library));
    send = function("objc_msgSend");
    registerName = function("sel_registerName");
    getClass = function("objc_getClass");
    retain = function("objc_retain");
    release = function("objc_release");
    push = function("objc_autoreleasePoolPush");
    pop = function("objc_autoreleasePoolPop");
  }

  private static SymbolLookup load(List<String> libraries) {
    SymbolLookup all = name -> Optional.empty();
    for (String path : libraries) {
      try {
        all = all.or(SymbolLookup.libraryLookup(path, Arena.global()));
      } catch (IllegalArgumentException e) {
        throw GpuException.absent(
            libraries == SYSTEM
                ? "there is no Metal on this machine: it needs macOS on a Mac (" + path + ")"
                : "the Metal library cannot be loaded: " + path,
            e);
      }
    }
    return all;
  }

  NativeFunction function(String name) {
    return symbols
        .find(name)
        .map(NativeFunction::new)
        .orElseThrow(() -> new GpuException("the Metal libraries lack the function " + name));
  }

  long selector(String name) {
    Long known = selectors.get(name); // no lock: every token needs hundreds of selectors
    return known != null ? known : selectors.computeIfAbsent(name, key -> named(registerName, key));
  }

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

  // ---- messages -------------------------------------------------------------------------------
  //
  // Objects, selectors, pointers and numbers are integers, so one method handle serves all methods
  // with such arguments. Methods that take a struct MTLSize by value have a separate handle,
  // because FFM's linker must know the layout of the struct.

  /** Calls a method and returns its result, which is undefined for a void method. */
  long ask(long self, String method, long... arguments) {
    long[] a = Arrays.copyOf(arguments, 4);
    return send.call(self, selector(method), a[0], a[1], a[2], a[3], 0, 0);
  }

  boolean has(long self, String method) {
    return (ask(self, "respondsToSelector:", selector(method)) & 0xFF) != 0; // a BOOL has one byte
  }

  void tellSizes(long self, String method, MemorySegment a, MemorySegment b) {
    try {
      Shapes.SIZES.invokeExact(send.address(), self, selector(method), a, b);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }

  // ---- objects --------------------------------------------------------------------------------

  long retain(long object) {
    return retain.call(object);
  }

  /** Releases an object in a separate pool, since Metal may autorelease other objects meanwhile. */
  void release(long object) {
    long token = push.call(0);
    release.call(object);
    pop.call(token);
  }

  /** Registers an owned object to be released when the arena closes; returns the object. */
  long releasedBy(Arena arena, long object) {
    MemorySegment.ofAddress(object).reinterpret(arena, segment -> release(object));
    return object;
  }

  /** Opens an autorelease pool, which the same platform thread must close. Pools may be nested. */
  Pool pool() {
    return new Pool();
  }

  final class Pool implements AutoCloseable {
    private final long token;

    private Pool() {
      if (Thread.currentThread().isVirtual()) {
        throw new IllegalStateException("Metal cannot be used from a virtual thread");
      }
      token = push.call(0);
    }

    @Override
    public void close() {
      pop.call(token);
    }
  }

  /** Returns a new {@code NSString}, which the caller must release. */
  long string(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
      long allocated = ask(classOf("NSString"), "alloc");
      return ask(allocated, "initWithBytes:length:encoding:", copy.address(), bytes.length, UTF8);
    }
  }

  /** Returns the text of an {@code NSString}; must be called inside a pool. */
  String text(long string) {
    if (string == NIL) {
      return "";
    }
    long characters = ask(string, "UTF8String");
    return characters == NIL
        ? ""
        : MemorySegment.ofAddress(characters).reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** Returns the text of an {@code NSError}; must be called inside a pool. */
  String errorText(long error) {
    return error == NIL ? "Metal gave no reason" : text(ask(error, "localizedDescription"));
  }

  /** Sets the name that Metal's debugging tools show for an object. */
  void label(long object, String label) {
    long string = string(label);
    ask(object, "setLabel:", string);
    release(string);
  }
}
