package dev.helixbg.llm.cpu.x86;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Machine code of x86-64, the few instructions that our kernels want. Vectors of 256 bits are
 * encoded with VEX, which knows 16 registers, those of 512 bits with EVEX, which knows 32.
 *
 * <p>Encodings: Intel's Software Developer's Manual, volume 2, chapter 2 (prefixes) and the
 * instructions' pages.
 */
final class AvxAssembler {
  /** General registers by their numbers in instructions; the first four arguments of a call. */
  enum Register {
    RAX(0),
    RCX(1),
    RDX(2),
    RSI(6),
    RDI(7),
    R8(8),
    R9(9),
    R10(10),
    R11(11);

    private final int number;

    Register(int number) {
      this.number = number;
    }
  }

  private static final int CAPACITY = 1 << 16;

  /** Maps of opcodes, and the prefix that many vector instructions imply. */
  private static final int MAP_0F = 1;

  private static final int MAP_0F38 = 2;
  private static final int NO_PREFIX = 0;
  private static final int PREFIX_66 = 1;

  /** Of a ModRM byte: a register, or memory at a register's address plus 32 bits. */
  private static final int OF_REGISTER = 3 << 6;

  private static final int OF_MEMORY = 2 << 6;

  private final ByteBuffer code = ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN);
  private final boolean wide;

  /**
   * @param bits of the vectors, 256 or 512
   */
  AvxAssembler(int bits) {
    wide = bits == 512;
  }

  byte[] code() {
    byte[] bytes = new byte[code.position()];
    code.get(0, bytes);
    return bytes;
  }

  // ---- vectors ---------------------------------------------------------------------------------

  /** {@code target = memory}. */
  void load(int target, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x10, target, 0, base, offset);
  }

  /** {@code memory = source}. */
  void store(int source, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x11, source, 0, base, offset);
  }

  /** {@code target = source}. */
  void copy(int source, int target) {
    ofRegister(MAP_0F, NO_PREFIX, 0x28, target, 0, source);
  }

  /** 32 bits of memory to all lanes. */
  void broadcast(int target, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x18, target, 0, base, offset);
  }

  /** {@code sums += a · b}, of each int four products of unsigned bytes and signed ones. */
  void dotProducts(int unsigned, int signed, int sums) {
    ofRegister(MAP_0F38, PREFIX_66, 0x50, sums, unsigned, signed);
  }

  /** {@code target = a · b}, of each short two products of unsigned bytes and signed ones. */
  void pairProducts(int unsigned, int signed, int target) {
    ofRegister(MAP_0F38, PREFIX_66, 0x04, target, unsigned, signed);
  }

  /** {@code sum += a}, shorts. */
  void addShorts(int a, int sum) {
    ofRegister(MAP_0F, PREFIX_66, 0xFD, sum, sum, a);
  }

  /** {@code sum += memory}, shorts. */
  void addShorts(int sum, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_66, 0xFD, sum, sum, base, offset);
  }

  /** All shorts to 1, in 256 bits. */
  void ones(int target) {
    ofRegister(MAP_0F, PREFIX_66, 0x75, target, target, target); // equal, so -1
    ofRegister(MAP_0F38, PREFIX_66, 0x1D, target, 0, target);
  }

  /** {@code product *= b}, of each int the sum of two products of shorts. */
  void pairSums(int b, int product) {
    ofRegister(MAP_0F, PREFIX_66, 0xF5, product, product, b);
  }

  /** {@code sum += memory}, ints. */
  void add(int sum, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_66, 0xFE, sum, sum, base, offset);
  }

  /** Ints to floats. */
  void toFloats(int vector) {
    ofRegister(MAP_0F, NO_PREFIX, 0x5B, vector, 0, vector);
  }

  /** {@code product *= memory}, floats. */
  void multiply(int product, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x59, product, product, base, offset);
  }

  /** {@code sum += a · b}, floats, rounded once. */
  void multiplyAdd(int a, int b, int sum) {
    ofRegister(MAP_0F38, PREFIX_66, 0xB8, sum, a, b);
  }

  /** {@code sum += a · memory}. */
  void multiplyAdd(int a, Register base, int offset, int sum) {
    ofMemory(MAP_0F38, PREFIX_66, 0xB8, sum, a, base, offset);
  }

  /** Clears the upper parts of vectors, which would slow down older instructions of the caller. */
  void clearUpperParts() {
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

  /** VEX or EVEX: numbers of registers are inverted, and their high bits scattered. */
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

  /** {@code target = source}. */
  void copy(Register source, Register target) {
    bytes(rex(source, target), 0x89, OF_REGISTER | (source.number & 7) << 3 | target.number & 7);
  }

  void add(Register target, int value) {
    bytes(rex(Register.RAX, target), 0x81, OF_REGISTER | target.number & 7);
    code.putInt(value);
  }

  /** Where a loop begins. */
  int label() {
    return code.position();
  }

  /** Counts down by one, and jumps unless that is 0. */
  void loop(Register counter, int label) {
    bytes(rex(Register.RAX, counter), 0xFF, OF_REGISTER | 1 << 3 | counter.number & 7);
    bytes(0x0F, 0x85);
    code.putInt(label - code.position() - Integer.BYTES);
  }

  void end() {
    bytes(0xC3);
  }

  /** 64 bits, and the fourth bits of registers' numbers. */
  private static int rex(Register reg, Register third) {
    return 0x48 | (reg.number >> 3) << 2 | third.number >> 3;
  }

  private void bytes(int... bytes) {
    for (int each : bytes) {
      code.put((byte) each);
    }
  }
}
