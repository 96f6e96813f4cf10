package dev.helixbg.config.faults;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Keeps the process alive if a mapped file is shortened, or its disk fails, while the file is read.
 *
 * <p>On Linux such a read causes the signal SIGBUS. In most code the JVM turns the signal into an
 * error. In helix-bg's machine code and in compiled vector loops, however, the signal ends the
 * process. Therefore this class installs a signal handler that runs before the JVM's handler. For a
 * fault within a guarded mapping, the handler maps zeros from the missing page to the mapping's
 * end, and records the fault. The read then continues. The handler passes every other signal to the
 * JVM's handler. Without a fault a guard costs no time.
 *
 * <p>Mappings are guarded on Linux on x86-64 and arm64. Elsewhere such a read may end the process.
 */
public final class MappingGuard implements AutoCloseable {
  private static final int SIGBUS = 7;

  /** Size of C's struct sigaction, in bytes; its fields are address, mask, flags and restorer. */
  private static final int SIGACTION_BYTES = 152;

  private static final int SLOTS = 256;

  // Offsets in a slot, in bytes. A slot holds three numbers: the mapping's first address, the end
  // of its last page, and 1 if a read has failed, else 0.
  static final int END = 8;
  static final int FAULT = 16;
  static final int SLOT_BYTES = 24;

  private static final int PAGE = (int) NativeFunction.ofC("getpagesize").orElseThrow().call(0);

  /** Table of guarded mappings, which the handler reads; it is never freed. */
  private static final MemorySegment TABLE =
      Arena.global().allocate((long) SLOTS * SLOT_BYTES, Long.BYTES);

  private static final boolean INSTALLED =
      System.getProperty("os.name").equals("Linux") && install();

  private final MemorySegment slot;

  private MappingGuard(MemorySegment slot) {
    this.slot = slot;
  }

  /** Guards a read-only mapping, if possible. The guard must be closed before the mapping. */
  public static Optional<MappingGuard> of(MemorySegment mapping) {
    return INSTALLED && mapping.byteSize() > 0 ? claim(mapping) : Optional.empty();
  }

  private static synchronized Optional<MappingGuard> claim(MemorySegment mapping) {
    for (int i = 0; i < SLOTS; i++) {
      MemorySegment slot = TABLE.asSlice((long) i * SLOT_BYTES, SLOT_BYTES);
      if (slot.get(ValueLayout.JAVA_LONG, END) == 0) {
        slot.set(ValueLayout.JAVA_LONG, FAULT, 0);
        slot.set(ValueLayout.JAVA_LONG, 0, mapping.address());
        // Written last: the handler guards the mapping once the slot's end is not 0.
        long end = mapping.address() + mapping.byteSize();
        slot.set(ValueLayout.JAVA_LONG, END, Math.ceilDiv(end, (long) PAGE) * PAGE);
        return Optional.of(new MappingGuard(slot));
      }
    }
    return Optional.empty();
  }

  /** Returns whether part of the file could not be read, so that zeros were read instead. */
  public boolean isFaulted() {
    return slot.get(ValueLayout.JAVA_LONG, FAULT) != 0;
  }

  @Override
  public void close() {
    synchronized (MappingGuard.class) {
      slot.set(ValueLayout.JAVA_LONG, END, 0);
    }
  }

  /** Installs this class's handler, with the signal mask and flags of the JVM's handler. */
  private static boolean install() {
    NativeFunction sigaction = NativeFunction.ofC("sigaction").orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(SIGACTION_BYTES, Long.BYTES);
      if ((int) sigaction.call(SIGBUS, 0, action.address()) != 0) {
        return false;
      }
      long before = action.get(ValueLayout.JAVA_LONG, 0);
      Optional<NativeFunction> handler = handler(before).flatMap(MachineCode::function);
      if (handler.isEmpty()) {
        return false;
      }
      action.set(ValueLayout.JAVA_LONG, 0, handler.get().address().address());
      return (int) sigaction.call(SIGBUS, action.address(), 0) == 0;
    }
  }

  /** Returns the machine code of this class's handler; empty for an unsupported processor. */
  private static Optional<byte[]> handler(long before) {
    return switch (System.getProperty("os.arch")) {
      case "amd64" -> Optional.of(X86FaultHandler.code(TABLE.address(), SLOTS, before));
      case "aarch64" -> Optional.of(Arm64FaultHandler.code(TABLE.address(), SLOTS, before, PAGE));
      default -> Optional.empty();
    };
  }
}
