package dev.helixbg.config.x86;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Assembler for the x86-64 instructions that the project's kernels need. Instructions on vectors of
 * 256 bits use the VEX encoding with 16 registers; instructions on 512 bits use EVEX with 32.
 *
 * <p>Encodings: Intel's Software Developer's Manual, volume 2, chapter 2 (prefixes) and the
 * instructions' pages.
 */
public final class AvxAssembler {
  /**
   * General registers, with their numbers in instructions. A function must preserve RBX, RBP and
   * R14.
   */
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

  private static final int CAPACITY = 1 << 16;

  /**
   * Number of an opcode map in a VEX prefix; the numbers of two more maps and of prefixes follow.
   */
  private static final int MAP_0F = 1;

  private static final int MAP_0F38 = 2;
  private static final int MAP_0F3A = 3;
  private static final int NO_PREFIX = 0;
  private static final int PREFIX_66 = 1;
  private static final int PREFIX_F3 = 2;

  /**
   * Mode of a ModRM byte for a register operand. {@code OF_MEMORY} is memory at a register plus a
   * 32-bit offset.
   */
  private static final int OF_REGISTER = 3 << 6;

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

  /** Emits {@code target = memory}. */
  public void load(int target, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x10, target, 0, base, offset);
  }

  /** Emits {@code memory = source}. */
  public void store(int source, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x11, source, 0, base, offset);
  }

  /** Emits {@code target = source}. */
  public void copy(int source, int target) {
    ofRegister(MAP_0F, NO_PREFIX, 0x28, target, 0, source);
  }

  /** Copies 32 bits of memory to all lanes. */
  public void broadcast(int target, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x18, target, 0, base, offset);
  }

  /** Emits {@code sums += a · b}: adds four products of unsigned and signed bytes to each int. */
  public void dotProducts(int unsigned, int signed, int sums) {
    ofRegister(MAP_0F38, PREFIX_66, 0x50, sums, unsigned, signed);
  }

  /** Emits {@code sums += a · b}: adds two products of shorts to each int. */
  public void shortDotProducts(int a, int b, int sums) {
    ofRegister(MAP_0F38, PREFIX_66, 0x52, sums, a, b);
  }

  /**
   * Emits {@code target = a · b}: each short becomes the sum of two products of unsigned and signed
   * bytes.
   */
  public void pairProducts(int unsigned, int signed, int target) {
    ofRegister(MAP_0F38, PREFIX_66, 0x04, target, unsigned, signed);
  }

  /** Emits {@code sum += a} for shorts. */
  public void addShorts(int a, int sum) {
    ofRegister(MAP_0F, PREFIX_66, 0xFD, sum, sum, a);
  }

  /** Emits {@code sum += memory} for shorts. */
  public void addShorts(int sum, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_66, 0xFD, sum, sum, base, offset);
  }

  /** Sets all shorts to 1, in 256 bits. */
  public void ones(int target) {
    // compares equal values, which gives −1
    ofRegister(MAP_0F, PREFIX_66, 0x75, target, target, target);
    ofRegister(MAP_0F38, PREFIX_66, 0x1D, target, 0, target);
  }

  /** Emits {@code product *= b}: each int becomes the sum of two products of shorts. */
  public void pairSums(int b, int product) {
    pairSums(product, b, product);
  }

  /** Emits {@code target = a · b}: each int becomes the sum of two products of shorts. */
  public void pairSums(int a, int b, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0xF5, target, a, b);
  }

  /** Emits {@code sum += memory} for ints. */
  public void add(int sum, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_66, 0xFE, sum, sum, base, offset);
  }

  /** Emits {@code sum += a} for ints. */
  public void add(int a, int sum) {
    ofRegister(MAP_0F, PREFIX_66, 0xFE, sum, sum, a);
  }

  /** Converts ints to floats. */
  public void toFloats(int vector) {
    ofRegister(MAP_0F, NO_PREFIX, 0x5B, vector, 0, vector);
  }

  /** Emits {@code product *= memory} for floats. */
  public void multiply(int product, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x59, product, product, base, offset);
  }

  /** Emits {@code sum += a · b} for floats, rounded once. */
  public void multiplyAdd(int a, int b, int sum) {
    ofRegister(MAP_0F38, PREFIX_66, 0xB8, sum, a, b);
  }

  /** Emits {@code sum += a · memory} for floats, rounded once. */
  public void multiplyAdd(int a, Register base, int offset, int sum) {
    ofMemory(MAP_0F38, PREFIX_66, 0xB8, sum, a, base, offset);
  }

  /** Emits {@code product *= b} for floats. */
  public void multiply(int b, int product) {
    ofRegister(MAP_0F, NO_PREFIX, 0x59, product, product, b);
  }

  /** Emits {@code sum += a} for floats. */
  public void addFloats(int a, int sum) {
    ofRegister(MAP_0F, NO_PREFIX, 0x58, sum, sum, a);
  }

  /** Sets {@code target} to 0. */
  public void clear(int target) {
    ofRegister(MAP_0F, PREFIX_66, 0xEF, target, target, target);
  }

  /** Emits {@code sum += memory} for floats. */
  public void addFloats(int sum, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x58, sum, sum, base, offset);
  }

  // ---- vectors of 256 bits ---------------------------------------------------------------------

  /** Emits {@code product = product · b + memory} for floats, rounded once. */
  public void multiplyThenAdd(int product, int b, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0xA8, product, b, base, offset);
  }

  /** Emits {@code difference -= a · b} for floats, rounded once. */
  public void subtractProduct(int a, int b, int difference) {
    ofRegister(MAP_0F38, PREFIX_66, 0xBC, difference, a, b);
  }

  /** Emits {@code target = a − b} for floats. */
  public void subtract(int a, int b, int target) {
    ofRegister(MAP_0F, NO_PREFIX, 0x5C, target, a, b);
  }

  /** Emits {@code target = a / b} for floats. */
  public void divide(int a, int b, int target) {
    ofRegister(MAP_0F, NO_PREFIX, 0x5E, target, a, b);
  }

  /** Replaces floats by their square roots. */
  public void root(int vector) {
    ofRegister(MAP_0F, NO_PREFIX, 0x51, vector, 0, vector);
  }

  /** Emits {@code largest = max(largest, a)} for floats. */
  public void maximum(int a, int largest) {
    ofRegister(MAP_0F, NO_PREFIX, 0x5F, largest, largest, a);
  }

  /** Emits {@code largest = max(largest, memory)} for floats. */
  public void maximum(int largest, Register base, int offset) {
    ofMemory(MAP_0F, NO_PREFIX, 0x5F, largest, largest, base, offset);
  }

  /** Writes the sum of a vector's floats to its first float; {@code other} is overwritten. */
  public void sumOfLanes(int vector, int other) {
    ofLanes(0x58, vector, other);
  }

  /** Writes the largest of a vector's floats to its first float; {@code other} is overwritten. */
  public void largestOfLanes(int vector, int other) {
    ofLanes(0x5F, vector, other);
  }

  private void ofLanes(int opcode, int vector, int other) {
    upperHalf(vector, other);
    ofRegister(MAP_0F, NO_PREFIX, opcode, vector, vector, other);
    permute(vector, 0x4E, other);
    ofRegister(MAP_0F, NO_PREFIX, opcode, vector, vector, other);
    permute(vector, 0xB1, other);
    ofRegister(MAP_0F, NO_PREFIX, opcode, vector, vector, other);
  }

  /** Copies the first float to all lanes. */
  public void broadcast(int vector) {
    ofRegister(MAP_0F38, PREFIX_66, 0x18, vector, 0, vector);
  }

  /** Loads one float of memory and sets the other lanes to 0. */
  public void loadFirst(int target, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_F3, 0x10, target, 0, base, offset);
  }

  /** Emits {@code target = source << bits} for ints. */
  public void shiftLeft(int source, int bits, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0x72, 6, target, source);
    bytes(bits);
  }

  /** Copies 128 bits of memory to both halves. */
  public void broadcastHalves(int target, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x5A, target, 0, base, offset);
  }

  /** Copies 16 bits of memory to all shorts. */
  public void broadcastShort(int target, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x79, target, 0, base, offset);
  }

  /** Converts the first eight f16 values to floats. */
  public void halvesToFloats(int vector) {
    ofRegister(MAP_0F38, PREFIX_66, 0x13, vector, 0, vector);
  }

  /** Converts eight signed bytes of memory to ints. */
  public void bytesToInts(int target, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x21, target, 0, base, offset);
  }

  /** Converts the first 16 signed bytes to shorts. */
  public void bytesToShorts(int vector) {
    ofRegister(MAP_0F38, PREFIX_66, 0x20, vector, 0, vector);
  }

  /** Permutes the bytes of each half of {@code source} by the indices in memory. */
  public void shuffle(int source, Register base, int offset, int target) {
    ofMemory(MAP_0F38, PREFIX_66, 0x00, target, source, base, offset);
  }

  /** Emits {@code target = a & b}. */
  public void and(int a, int b, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0xDB, target, a, b);
  }

  /** Emits {@code vector &= memory}. */
  public void and(int vector, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_66, 0xDB, vector, vector, base, offset);
  }

  /** Emits {@code vector |= a}. */
  public void or(int a, int vector) {
    ofRegister(MAP_0F, PREFIX_66, 0xEB, vector, vector, a);
  }

  /** Emits {@code target = source >>> bits} for shorts. */
  public void shiftShortsRight(int source, int bits, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0x71, 2, target, source);
    bytes(bits);
  }

  /** Emits {@code target = source << bits} for shorts. */
  public void shiftShortsLeft(int source, int bits, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0x71, 6, target, source);
    bytes(bits);
  }

  /** Emits {@code target = source >>> bits} for ints. */
  public void shiftRight(int source, int bits, int target) {
    ofRegister(MAP_0F, PREFIX_66, 0x72, 2, target, source);
    bytes(bits);
  }

  /** Emits {@code vector >>>= memory}; each int has its own number of bits. */
  public void shiftRight(int vector, Register base, int offset) {
    ofMemory(MAP_0F38, PREFIX_66, 0x45, vector, vector, base, offset);
  }

  /**
   * Emits {@code target = a · memory}: each short becomes the sum of two products of unsigned and
   * signed bytes.
   */
  public void pairProducts(int unsigned, Register base, int offset, int target) {
    ofMemory(MAP_0F38, PREFIX_66, 0x04, target, unsigned, base, offset);
  }

  /** Replaces signed bytes by their magnitudes, which are unsigned. */
  public void magnitudes(int vector) {
    ofRegister(MAP_0F38, PREFIX_66, 0x1C, vector, 0, vector);
  }

  /** Multiplies each byte by the sign of the byte in {@code signs}: 1, 0 or −1. */
  public void sign(int vector, int signs) {
    ofRegister(MAP_0F38, PREFIX_66, 0x08, vector, vector, signs);
  }

  /** Copies the upper half of {@code source} to the lower half of {@code target}. */
  public void upperHalf(int source, int target) {
    ofRegister(MAP_0F3A, PREFIX_66, 0x19, source, 0, target);
    bytes(1);
  }

  /**
   * Permutes each group of four floats. {@code places} has two bits per float; the two lowest bits
   * are for the first float.
   */
  public void permute(int source, int places, int target) {
    ofRegister(MAP_0F3A, PREFIX_66, 0x04, target, 0, source);
    bytes(places);
  }

  /** Stores the first float. */
  public void storeFirst(int source, Register base, int offset) {
    ofMemory(MAP_0F, PREFIX_F3, 0x11, source, 0, base, offset);
  }

  /** Prefetches a cache line of memory; the address may be invalid. */
  public void fetchAhead(Register base, int offset) {
    if (base.number > 7) {
      bytes(0x41);
    }
    bytes(0x0F, 0x18, OF_MEMORY | 1 << 3 | base.number & 7);
    code.putInt(offset);
  }

  /**
   * Clears the upper halves of vector registers, because they would slow down the caller's SSE
   * instructions.
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
   * Emits a VEX or EVEX prefix. Both contain the registers' numbers inverted, and the high bits of
   * a number apart from its low bits.
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

  /** Emits {@code target = source}. */
  public void copy(Register source, Register target) {
    bytes(rex(source, target), 0x89, OF_REGISTER | (source.number & 7) << 3 | target.number & 7);
  }

  public void add(Register target, int value) {
    bytes(rex(Register.RAX, target), 0x81, OF_REGISTER | target.number & 7);
    code.putInt(value);
  }

  /** Emits {@code target += memory} for 64 bits. */
  public void add(Register target, Register base, int offset) {
    bytes(rex(target, base), 0x03, OF_MEMORY | (target.number & 7) << 3 | base.number & 7);
    code.putInt(offset);
  }

  /** Emits {@code target = value}. */
  public void set(Register target, long value) {
    bytes(rex(Register.RAX, target), 0xB8 | target.number & 7);
    code.putLong(value);
  }

  /** Returns the position at which a loop begins. */
  public int label() {
    return code.position();
  }

  /** Decrements the counter and jumps to the label unless the counter is 0. */
  public void loop(Register counter, int label) {
    bytes(rex(Register.RAX, counter), 0xFF, OF_REGISTER | 1 << 3 | counter.number & 7);
    bytes(0x0F, 0x85);
    code.putInt(label - code.position() - Integer.BYTES);
  }

  /** Pushes a register for {@link #restore}. */
  public void save(Register register) {
    pushOrPop(0x50, register);
  }

  /** Pops the register that was saved last. */
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

  /** Returns a REX prefix for 64 bits, with the fourth bits of the registers' numbers. */
  private static int rex(Register reg, Register third) {
    return 0x48 | (reg.number >> 3) << 2 | third.number >> 3;
  }

  private void bytes(int... bytes) {
    for (int each : bytes) {
      code.put((byte) each);
    }
  }
}
