package dev.helixbg.config.x86;

import dev.helixbg.config.natives.NativeFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Keeps the process alive when a mapped file is shortened, or its disk fails, while it is read.
 *
 * <p>Linux answers such a read with the signal SIGBUS. In most code the JVM turns it into an error,
 * but in helix-bg's machine code and in compiled vector loops it ends the process. Therefore this
 * class installs a signal handler before the JVM's. Within a guarded mapping the handler puts pages
 * of zeros from the missing page to the end, notes the fault, and lets the read go on. It passes
 * every other signal to the JVM's handler. Without a fault a guard costs no time.
 *
 * <p>On Linux on x86-64; elsewhere no mapping is guarded, and such a read may end the process.
 */
public final class MappingGuard implements AutoCloseable {
  private static final int SIGBUS = 7;

  /** In C: the handler's address, a mask of 128 bytes, flags, a restorer. */
  private static final int SIGACTION_BYTES = 152;

  private static final int SLOTS = 256;

  /** In a slot: the first address, the address past the last, and whether a read failed. */
  private static final int END = 8;

  private static final int FAULT = 16;
  private static final int SLOT_BYTES = 24;

  private static final long PAGE = 4096;

  /** Lives as long as the process: the handler reads it. */
  private static final MemorySegment TABLE =
      Arena.global().allocate((long) SLOTS * SLOT_BYTES, Long.BYTES);

  private static final boolean INSTALLED = MachineCode.isKnownSystem() && install();

  private final MemorySegment slot;

  private MappingGuard(MemorySegment slot) {
    this.slot = slot;
  }

  /**
   * Guards a read-only mapping of a file; empty where that cannot be done. The guard must be closed
   * before the mapping.
   */
  public static Optional<MappingGuard> of(MemorySegment mapping) {
    return INSTALLED && mapping.byteSize() > 0 ? claim(mapping) : Optional.empty();
  }

  private static synchronized Optional<MappingGuard> claim(MemorySegment mapping) {
    for (int i = 0; i < SLOTS; i++) {
      MemorySegment slot = TABLE.asSlice((long) i * SLOT_BYTES, SLOT_BYTES);
      if (slot.get(ValueLayout.JAVA_LONG, END) == 0) {
        slot.set(ValueLayout.JAVA_LONG, FAULT, 0);
        slot.set(ValueLayout.JAVA_LONG, 0, mapping.address());
        // Last: with an end of 0 the slot holds no address.
        slot.set(ValueLayout.JAVA_LONG, END, wholePages(mapping));
        return Optional.of(new MappingGuard(slot));
      }
    }
    return Optional.empty();
  }

  private static long wholePages(MemorySegment mapping) {
    return Math.ceilDiv(mapping.address() + mapping.byteSize(), PAGE) * PAGE;
  }

  /** Whether bytes of the file could not be read, and zeros were read in their place. */
  public boolean isFaulted() {
    return slot.get(ValueLayout.JAVA_LONG, FAULT) != 0;
  }

  @Override
  public void close() {
    synchronized (MappingGuard.class) {
      slot.set(ValueLayout.JAVA_LONG, END, 0);
    }
  }

  /** Puts our handler before the JVM's, with the JVM's mask and flags. */
  private static boolean install() {
    NativeFunction sigaction = NativeFunction.ofC("sigaction").orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(SIGACTION_BYTES, Long.BYTES);
      if ((int) sigaction.call(SIGBUS, 0, action.address()) != 0) {
        return false;
      }
      long before = action.get(ValueLayout.JAVA_LONG, 0);
      Optional<NativeFunction> handler = MachineCode.function(handler(before));
      if (handler.isEmpty()) {
        return false;
      }
      action.set(ValueLayout.JAVA_LONG, 0, handler.get().address().address());
      return (int) sigaction.call(SIGBUS, action.address(), 0) == 0;
    }
  }

  /** Called with the signal in RDI, what is known of it in RSI, and the registers in RDX. */
  private static byte[] handler(long before) {
    Code code = new Code();
    code.bytes(0x48, 0x8B, 0x46, 0x10); // mov rax, [rsi + 16]: the address that was read
    code.bytes(0x48, 0xB9).number(TABLE.address()); // mov rcx, TABLE
    code.bytes(0x41, 0xB8).number(SLOTS); // mov r8d, SLOTS
    int slot = code.place();
    code.bytes(0x48, 0x3B, 0x01); // cmp rax, [rcx]
    int below = code.jump(0x72); // jb: not in this one
    code.bytes(0x48, 0x3B, 0x41, END); // cmp rax, [rcx + 8]
    int found = code.jump(0x72); // jb
    code.land(below);
    code.bytes(0x48, 0x83, 0xC1, SLOT_BYTES); // add rcx, 24
    code.bytes(0x41, 0xFF, 0xC8); // dec r8d
    code.jumpBack(0x75, slot); // jnz
    int pass = code.place();
    code.bytes(0x48, 0xB8).number(before); // mov rax, the handler before
    code.bytes(0xFF, 0xE0); // jmp rax
    code.land(found);
    code.bytes(0x48, 0xC7, 0x41, FAULT).number(1); // mov qword [rcx + 16], 1
    code.bytes(0x57, 0x56, 0x52, 0x51); // push rdi, rsi, rdx, rcx
    code.bytes(0x48, 0x89, 0xC7); // mov rdi, rax
    code.bytes(0x48, 0x81, 0xE7).number((int) -PAGE); // and rdi, -4096: the page
    code.bytes(0x48, 0x8B, 0x71, END); // mov rsi, [rcx + 8]
    code.bytes(0x48, 0x29, 0xFE); // sub rsi, rdi: to the end
    code.bytes(0xBA).number(1); // mov edx, PROT_READ
    code.bytes(0x41, 0xBA).number(0x4032); // mov r10d, private, fixed, anonymous, no reserve
    code.bytes(0x49, 0xC7, 0xC0).number(-1); // mov r8, no file
    code.bytes(0x45, 0x31, 0xC9); // xor r9d, r9d
    code.bytes(0xB8).number(9); // mov eax, mmap
    code.bytes(0x0F, 0x05); // syscall
    code.bytes(0x59, 0x5A, 0x5E, 0x5F); // pop rcx, rdx, rsi, rdi
    code.bytes(0x48, 0x3D).number((int) -PAGE); // cmp rax, -4096
    code.jumpBack(0x77, pass); // ja: an error
    code.bytes(0xC3); // ret
    return code.end();
  }

  /** Bytes one after the other, and short jumps. */
  private static final class Code {
    private static final int CAPACITY = 256;

    private final ByteBuffer code = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);

    Code bytes(int... bytes) {
      for (int each : bytes) {
        code.put((byte) each);
      }
      return this;
    }

    void number(int value) {
      code.putInt(value);
    }

    void number(long value) {
      code.putLong(value);
    }

    int place() {
      return code.position();
    }

    /** A jump ahead, to where {@link #land} is called with what this returns. */
    int jump(int opcode) {
      bytes(opcode, 0);
      return code.position();
    }

    void land(int jump) {
      code.put(jump - 1, (byte) (code.position() - jump));
    }

    void jumpBack(int opcode, int target) {
      bytes(opcode, target - code.position() - 2);
    }

    byte[] end() {
      byte[] bytes = new byte[code.position()];
      code.get(0, bytes);
      return bytes;
    }
  }
}
