package dev.helixbg.config.x86;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Assembler for the x86-64 instructions that the project's kernels need. Instructions on vectors of
 * 256 bits use the VEX encoding with 16 registers; instructions on vectors of 512 bits use the EVEX
 * encoding with 32 registers.
 *
 * <p>Encodings: Intel's Software Developer's Manual, volume 2, chapter 2 (prefixes) and the
 * instructions' pages.
 */
public final class AvxAssembler {
  /** General registers and their numbers. A function must preserve RBX, RBP and R14. */
  public enum Register {
    RAX(0),
    RCX(1),
    RDX(2),
    RSI(6),
    RDI(7),
    R8(8),
    R9(9),
    R10(10),
    R11(11),
    RBX(3),
    RBP(5),
    R14(14);

    private final int number;

    Register(int number) {
      this.number = number;
    }
  }

  // Codes of opcode maps and of instruction prefixes in a VEX prefix.
  private static final int MAP_0F = 1;
  private static final int MAP_0F38 = 2;
  private static final int MAP_0F3A = 3;
  private static final int NO_PREFIX = 0;
  private static final int PREFIX_66 = 1;
  private static final int PREFIX_F3 = 2;

  /**
   * Vector instructions that compute a target from operands a and b, or from b alone ({@code
   * unary}). In all instructions, b may also be memory. Lanes are floats unless the name says
   * otherwise.
   */
  public enum Op {
    LOAD(MAP_0F, NO_PREFIX, 0x10, true),
    COPY(MAP_0F, NO_PREFIX, 0x28, true),
    /** Loads one float and sets the other lanes to 0. */
    LOAD_FIRST(MAP_0F, PREFIX_F3, 0x10, true),
    BROADCAST(MAP_0F38, PREFIX_66, 0x18, true),
    BROADCAST_SHORT(MAP_0F38, PREFIX_66, 0x79, true),
    /** Copies 128 bits of memory to both halves of a vector of 256 bits. */
    BROADCAST_HALVES(MAP_0F38, PREFIX_66, 0x5A, true),
    INTS_TO_FLOATS(MAP_0F, NO_PREFIX, 0x5B, true),
    HALVES_TO_FLOATS(MAP_0F38, PREFIX_66, 0x13, true),
    BYTES_TO_INTS(MAP_0F38, PREFIX_66, 0x21, true),
    BYTES_TO_SHORTS(MAP_0F38, PREFIX_66, 0x20, true),
    MAGNITUDES_OF_BYTES(MAP_0F38, PREFIX_66, 0x1C, true),
    MAGNITUDES_OF_SHORTS(MAP_0F38, PREFIX_66, 0x1D, true),
    SQUARE_ROOT(MAP_0F, NO_PREFIX, 0x51, true),
    ADD(MAP_0F, NO_PREFIX, 0x58, false),
    ADD_INTS(MAP_0F, PREFIX_66, 0xFE, false),
    ADD_SHORTS(MAP_0F, PREFIX_66, 0xFD, false),
    SUBTRACT(MAP_0F, NO_PREFIX, 0x5C, false),
    MULTIPLY(MAP_0F, NO_PREFIX, 0x59, false),
    DIVIDE(MAP_0F, NO_PREFIX, 0x5E, false),
    MAXIMUM(MAP_0F, NO_PREFIX, 0x5F, false),
    /** Target += a · b, rounded once. */
    MULTIPLY_ADD(MAP_0F38, PREFIX_66, 0xB8, false),
    /** Target −= a · b, rounded once. */
    SUBTRACT_PRODUCT(MAP_0F38, PREFIX_66, 0xBC, false),
    /** Target = target · a + b, rounded once. */
    MULTIPLY_THEN_ADD(MAP_0F38, PREFIX_66, 0xA8, false),
    /** Adds four products of unsigned bytes (a) and signed bytes (b) to each int of the target. */
    DOT_PRODUCTS(MAP_0F38, PREFIX_66, 0x50, false),
    /** Adds two products of shorts to each int of the target. */
    SHORT_DOT_PRODUCTS(MAP_0F38, PREFIX_66, 0x52, false),
    /** Sets each short to the sum of two products of unsigned bytes (a) and signed bytes (b). */
    PAIR_PRODUCTS(MAP_0F38, PREFIX_66, 0x04, false),
    /** Sets each int to the sum of two products of shorts. */
    PAIR_SUMS(MAP_0F, PREFIX_66, 0xF5, false),
    EQUAL_SHORTS(MAP_0F, PREFIX_66, 0x75, false),
    AND(MAP_0F, PREFIX_66, 0xDB, false),
    OR(MAP_0F, PREFIX_66, 0xEB, false),
    XOR(MAP_0F, PREFIX_66, 0xEF, false),
    /** Multiplies each byte of a by the sign of the corresponding byte of b: 1, 0 or −1. */
    SIGN(MAP_0F38, PREFIX_66, 0x08, false),
    /** Permutes the bytes of each half of a by the indices in b. */
    SHUFFLE(MAP_0F38, PREFIX_66, 0x00, false),
    /** Shifts each int of a to the right. The corresponding int of b is the number of bits. */
    SHIFT_EACH_RIGHT(MAP_0F38, PREFIX_66, 0x45, false);

    private final int map;
    private final int prefix;
    private final int opcode;
    private final boolean unary;

    Op(int map, int prefix, int opcode, boolean unary) {
      this.map = map;
      this.prefix = prefix;
      this.opcode = opcode;
      this.unary = unary;
    }
  }

  /** Logical shifts of all lanes by a constant number of bits. */
  public enum Shift {
    SHORTS_RIGHT(0x71, 2),
    SHORTS_LEFT(0x71, 6),
    RIGHT(0x72, 2),
    LEFT(0x72, 6);

    private final int opcode;
    private final int extension;

    Shift(int opcode, int extension) {
      this.opcode = opcode;
      this.extension = extension;
    }
  }

  private static final int CAPACITY = 1 << 16;

  /** Mode of a ModRM byte for an operand in a register. */
  private static final int OF_REGISTER = 3 << 6;

  /** Mode of a ModRM byte for an operand in memory, at a register plus a 32-bit offset. */
  private static final int OF_MEMORY = 2 << 6;

  private final ByteBuffer code = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
  private final boolean wide;

  /**
   * @param bits size of the vectors, 256 or 512 bits
   */
  public AvxAssembler(int bits) {
    wide = bits == 512;
  }

  public byte[] code() {
    byte[] bytes = new byte[code.position()];
    code.get(0, bytes);
    return bytes;
  }

  // ---- vectors ---------------------------------------------------------------------------------

  /** Emits an instruction whose operand a is the target. */
  public void emit(Op op, int b, int target) {
    emit(op, target, b, target);
  }

  public void emit(Op op, int a, int b, int target) {
    int second = op.unary ? 0 : a;
    ofRegister(op.map, op.prefix, op.opcode, target, second, b);
  }

  /** Emits an instruction whose operand a is the target and whose operand b is in memory. */
  public void emit(Op op, int target, Register base, int offset) {
    emit(op, target, base, offset, target);
  }

  /** Emits an instruction whose operand b is in memory. */
  public void emit(Op op, int a, Register base, int offset, int target) {
    int second = op.unary ? 0 : a;
    ofMemory(op.map, op.prefix, op.opcode, target, second, base, offset);
  }

  public void load(int target, Register base, int offset) {
    emit(Op.LOAD, target, base, offset);
  }

  /** Emits {@code memory = source}. */
  public void store(int source, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x11, source, 0, base, offset);
  }

  public void storeFirst(int source, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_F3, 0x11, source, 0, base, offset);
  }

  public void copy(int source, int target) {
    emit(Op.COPY, source, target);
  }

  public void broadcast(int target, Register base, int offset) {
    emit(Op.BROADCAST, target, base, offset);
  }

  public void clear(int target) {
    emit(Op.XOR, target, target);
  }

  /** Emits code that sets all shorts to 1; only for vectors of 256 bits. */
  public void ones(int target) {
    emit(Op.EQUAL_SHORTS, target, target); // −1
    emit(Op.MAGNITUDES_OF_SHORTS, target, target);
  }

  public void shift(Shift shift, int source, int bits, int target) {
    ofRegister(MAP_0F, PREFIX_66, shift.opcode, shift.extension, target, source);
    bytes(bits);
  }

  /**
   * Emits code that combines all floats of a vector by {@link Op#ADD} or {@link Op#MAXIMUM}, and
   * writes the result to the first lane. The register {@code other} is overwritten.
   */
  public void combineLanes(Op op, int vector, int other) {
    if (wide) {
      permuteQuarters(vector, 0x4E, other);
      emit(op, other, vector);
      permuteQuarters(vector, 0xB1, other);
    } else {
      upperHalf(vector, other);
    }
    emit(op, other, vector);
    permute(vector, 0x4E, other);
    emit(op, other, vector);
    permute(vector, 0xB1, other);
    emit(op, other, vector);
  }

  void upperHalf(int source, int target) {
    ofRegister(MAP_0F3A, PREFIX_66, 0x19, source, 0, target);
    bytes(1);
  }

  /** Permutes the quarters of a vector of 512 bits, as {@link #permute} does with single floats. */
  void permuteQuarters(int source, int places, int target) {
    ofRegister(MAP_0F3A, PREFIX_66, 0x23, target, source, source);
    bytes(places);
  }

  /**
   * Permutes each group of four floats. The lowest two bits of {@code places} select the source of
   * the first float, the next two bits select the source of the second float, and so on.
   */
  void permute(int source, int places, int target) {
    ofRegister(MAP_0F3A, PREFIX_66, 0x04, target, 0, source);
    bytes(places);
  }

  /** Emits a prefetch of a cache line of memory; the address may be invalid. */
  public void fetchAhead(Register base, int offset) {
    if (base.number > 7) {
      bytes(0x41);
    }
    bytes(0x0F, 0x18, OF_MEMORY | 1 << 3 | base.number & 7);
    code.putInt(offset);
  }

  /**
   * Emits code that clears the upper halves of vector registers. Uncleared halves would slow the
   * caller's SSE code.
   */
  public void clearUpperParts() {
    bytes(0xC5, 0xF8, 0x77);
  }

  private void ofMemory(
      int map, int prefix, int opcode, int reg, int second, Register base, int offset) {
    prefix(map, prefix, reg, second, base.number);
    bytes(opcode, OF_MEMORY | (reg & 7) << 3 | base.number & 7);
    code.putInt(offset);
  }

  private void ofRegister(int map, int prefix, int opcode, int reg, int second, int third) {
    prefix(map, prefix, reg, second, third);
    bytes(opcode, OF_REGISTER | (reg & 7) << 3 | third & 7);
  }

  /**
   * Emits a VEX or EVEX prefix. The prefix encodes the register number {@code second} and the high
   * bits of the two other register numbers, all of them inverted.
   */
  private void prefix(int map, int prefix, int reg, int second, int third) {
    int r = ~reg >> 3 & 1;
    int x = ~third >> 4 & 1;
    int b = ~third >> 3 & 1;
    int low = (~second & 15) << 3 | prefix;
    if (wide) {
      int high = ~reg >> 4 & 1;
      int second4 = ~second >> 4 & 1;
      bytes(0x62, r << 7 | x << 6 | b << 5 | high << 4 | map, low | 4, 2 << 5 | second4 << 3);
    } else {
      bytes(0xC4, r << 7 | 1 << 6 | b << 5 | map, low | 4);
    }
  }

  // ---- numbers and loops -----------------------------------------------------------------------

  public void copy(Register source, Register target) {
    bytes(rex(source, target), 0x89, OF_REGISTER | (source.number & 7) << 3 | target.number & 7);
  }

  public void add(Register target, int value) {
    bytes(rex(Register.RAX, target), 0x81, OF_REGISTER | target.number & 7);
    code.putInt(value);
  }

  /** Emits {@code target += memory}, an addition of 64 bits. */
  public void add(Register target, Register base, int offset) {
    bytes(rex(target, base), 0x03, OF_MEMORY | (target.number & 7) << 3 | base.number & 7);
    code.putInt(offset);
  }

  public void set(Register target, long value) {
    bytes(rex(Register.RAX, target), 0xB8 | target.number & 7);
    code.putLong(value);
  }

  public int label() {
    return code.position();
  }

  /** Emits code that decrements the counter, and jumps to the label unless the counter is 0. */
  public void loop(Register counter, int label) {
    bytes(rex(Register.RAX, counter), 0xFF, OF_REGISTER | 1 << 3 | counter.number & 7);
    bytes(0x0F, 0x85);
    code.putInt(label - code.position() - Integer.BYTES);
  }

  /** Emits code that pushes a register onto the stack; {@link #restore} pops it. */
  public void save(Register register) {
    pushOrPop(0x50, register);
  }

  public void restore(Register register) {
    pushOrPop(0x58, register);
  }

  private void pushOrPop(int opcode, Register register) {
    if (register.number > 7) {
      bytes(0x41);
    }
    bytes(opcode | register.number & 7);
  }

  public void end() {
    bytes(0xC3);
  }

  /** Returns the REX prefix of a 64-bit instruction, with the top bits of both register numbers. */
  private static int rex(Register reg, Register third) {
    return 0x48 | (reg.number >> 3) << 2 | third.number >> 3;
  }

  private void bytes(int... bytes) {
    for (int each : bytes) {
      code.put((byte) each);
    }
  }
}
