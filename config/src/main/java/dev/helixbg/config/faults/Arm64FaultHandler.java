package dev.helixbg.config.faults;

import static dev.helixbg.config.faults.MappingGuard.END;
import static dev.helixbg.config.faults.MappingGuard.FAULT;
import static dev.helixbg.config.faults.MappingGuard.SLOT_BYTES;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Machine code of {@link MappingGuard}'s signal handler for arm64. This class need not flush the
 * instruction cache: Linux does so when it makes pages executable.
 */
final class Arm64FaultHandler {
  private static final int CAPACITY = 512;

  // Condition codes of branches.
  private static final int NOT_EQUAL = 1;
  private static final int NOT_BELOW = 2;
  private static final int BELOW = 3;

  private static final int STACK = 31;

  private final ByteBuffer code = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);

  private Arm64FaultHandler() {}

  /**
   * Returns code that Linux calls with the signal's number in x0, siginfo_t in x1, the context in
   * x2.
   *
   * @param table address of the table of guarded mappings
   * @param before address of the previous handler, which receives every signal that this code does
   *     not handle
   */
  static byte[] code(long table, int slots, long before, int page) {
    Arm64FaultHandler code = new Arm64FaultHandler();
    code.load(9, 1, 16); // the address that was read
    code.set(10, table);
    code.set(11, slots);
    int slot = code.code.position();
    code.load(12, 10, 0);
    code.emit(0xEB00001F | 12 << 16 | 9 << 5); // cmp x9, x12
    int below = code.branch(BELOW); // not in this slot
    code.load(12, 10, END);
    code.emit(0xEB00001F | 12 << 16 | 9 << 5); // cmp x9, x12
    int found = code.branch(BELOW);
    code.land(below);
    code.emit(0x91000000 | SLOT_BYTES << 10 | 10 << 5 | 10); // add x10, x10, 24
    code.emit(0xF1000000 | 1 << 10 | 11 << 5 | 11); // subs x11, x11, 1
    code.branchBack(NOT_EQUAL, slot);
    int pass = code.code.position();
    code.set(9, before);
    code.emit(0xD61F0000 | 9 << 5); // br x9
    code.land(found);
    code.set(12, 1);
    code.store(12, 10, FAULT);
    code.emit(0xA9800000 | (-4 & 0x7F) << 15 | 1 << 10 | STACK << 5); // stp x0, x1, [sp, -32]!
    code.store(2, STACK, 16);
    code.set(13, -page);
    code.emit(0x8A000000 | 13 << 16 | 9 << 5); // and x0, x9, x13: the page
    code.load(1, 10, END);
    code.emit(0xCB000000 | 1 << 5 | 1); // sub x1, x1, x0: the size up to the end
    code.set(2, 1); // PROT_READ
    code.set(3, 0x4032); // MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS, MAP_NORESERVE
    code.set(4, -1); // no file
    code.set(5, 0);
    code.set(8, 222); // mmap
    code.emit(0xD4000001); // svc 0
    code.emit(0xAA0003E0 | 12); // mov x12, x0
    code.load(2, STACK, 16);
    code.emit(0xA8C00000 | 4 << 15 | 1 << 10 | STACK << 5); // ldp x0, x1, [sp], 32
    code.emit(0xB100001F | 4095 << 10 | 12 << 5); // cmn x12, 4095
    code.branchBack(NOT_BELOW, pass); // an error
    code.emit(0xD65F03C0); // ret
    return Arrays.copyOf(code.code.array(), code.code.position());
  }

  private void emit(int instruction) {
    code.putInt(instruction);
  }

  /** Emits movz for the lowest 16 bits, then movk for each further 16 bits. */
  private void set(int register, long value) {
    for (int part = 0; part < 4; part++) {
      int bits = (int) (value >>> 16 * part) & 0xFFFF;
      emit((part == 0 ? 0xD2800000 : 0xF2800000) | part << 21 | bits << 5 | register);
    }
  }

  /** Emits ldr register, [base, offset]. */
  private void load(int register, int base, int offset) {
    emit(0xF9400000 | offset / 8 << 10 | base << 5 | register);
  }

  /** Emits str register, [base, offset]. */
  private void store(int register, int base, int offset) {
    emit(0xF9000000 | offset / 8 << 10 | base << 5 | register);
  }

  /** Emits a forward branch; {@link #land} with the returned value sets its target. */
  private int branch(int condition) {
    emit(0x54000000 | condition);
    return code.position() - Integer.BYTES;
  }

  private void land(int branch) {
    int words = (code.position() - branch) / Integer.BYTES;
    code.putInt(branch, code.getInt(branch) | words << 5);
  }

  private void branchBack(int condition, int target) {
    int words = (target - code.position()) / Integer.BYTES;
    emit(0x54000000 | (words & 0x7FFFF) << 5 | condition);
  }
}
