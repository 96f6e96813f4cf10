package dev.helixbg.config.faults;

import static dev.helixbg.config.faults.MappingGuard.END;
import static dev.helixbg.config.faults.MappingGuard.FAULT;
import static dev.helixbg.config.faults.MappingGuard.SLOT_BYTES;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Machine code of {@link MappingGuard}'s signal handler for x86-64. */
final class X86FaultHandler {
  private static final int CAPACITY = 256;
  private static final int PAGE = 4096;

  private final ByteBuffer code = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);

  private X86FaultHandler() {}

  /**
   * Returns code that Linux calls with the signal's number in RDI, siginfo_t in RSI, the context in
   * RDX.
   *
   * @param table address of the table of guarded mappings
   * @param before address of the previous handler, which receives every signal that this code does
   *     not handle
   */
  static byte[] code(long table, int slots, long before) {
    X86FaultHandler code = new X86FaultHandler();
    code.bytes(0x48, 0x8B, 0x46, 0x10); // mov rax, [rsi + 16]: the address that was read
    code.bytes(0x48, 0xB9).number(table); // mov rcx, table
    code.bytes(0x41, 0xB8).number(slots); // mov r8d, slots
    int slot = code.code.position();
    code.bytes(0x48, 0x3B, 0x01); // cmp rax, [rcx]
    int below = code.jump(0x72); // jb: not in this slot
    code.bytes(0x48, 0x3B, 0x41, END); // cmp rax, [rcx + 8]
    int found = code.jump(0x72); // jb
    code.land(below);
    code.bytes(0x48, 0x83, 0xC1, SLOT_BYTES); // add rcx, 24
    code.bytes(0x41, 0xFF, 0xC8); // dec r8d
    code.jumpBack(0x75, slot); // jnz
    int pass = code.code.position();
    code.bytes(0x48, 0xB8).number(before); // mov rax, the previous handler
    code.bytes(0xFF, 0xE0); // jmp rax
    code.land(found);
    code.bytes(0x48, 0xC7, 0x41, FAULT).number(1); // mov qword [rcx + 16], 1
    code.bytes(0x57, 0x56, 0x52, 0x51); // push rdi, rsi, rdx, rcx
    code.bytes(0x48, 0x89, 0xC7); // mov rdi, rax
    code.bytes(0x48, 0x81, 0xE7).number(-PAGE); // and rdi, -4096: the page
    code.bytes(0x48, 0x8B, 0x71, END); // mov rsi, [rcx + 8]
    code.bytes(0x48, 0x29, 0xFE); // sub rsi, rdi: the size up to the end
    code.bytes(0xBA).number(1); // mov edx, PROT_READ
    code.bytes(0x41, 0xBA).number(0x4032); // mov r10d, private, fixed, anonymous, no reserve
    code.bytes(0x49, 0xC7, 0xC0).number(-1); // mov r8, no file
    code.bytes(0x45, 0x31, 0xC9); // xor r9d, r9d
    code.bytes(0xB8).number(9); // mov eax, mmap
    code.bytes(0x0F, 0x05); // syscall
    code.bytes(0x59, 0x5A, 0x5E, 0x5F); // pop rcx, rdx, rsi, rdi
    code.bytes(0x48, 0x3D).number(-PAGE); // cmp rax, -4096
    code.jumpBack(0x77, pass); // ja: an error
    code.bytes(0xC3); // ret
    return Arrays.copyOf(code.code.array(), code.code.position());
  }

  private X86FaultHandler bytes(int... bytes) {
    for (int each : bytes) {
      code.put((byte) each);
    }
    return this;
  }

  private void number(int value) {
    code.putInt(value);
  }

  private void number(long value) {
    code.putLong(value);
  }

  /** Emits a forward jump; {@link #land} with the returned value sets its target. */
  private int jump(int opcode) {
    bytes(opcode, 0);
    return code.position();
  }

  private void land(int jump) {
    code.put(jump - 1, (byte) (code.position() - jump));
  }

  private void jumpBack(int opcode, int target) {
    bytes(opcode, target - code.position() - 2);
  }
}
