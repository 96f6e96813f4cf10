package dev.helixbg.config.x86;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.x86.AvxAssembler.Op;
import dev.helixbg.config.x86.AvxAssembler.Register;
import dev.helixbg.config.x86.AvxAssembler.Shift;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the bytes of every instruction with those of GNU's assembler. */
class AvxAssemblerTest {
  /**
   * Bytes and texts of instructions, from version 2.40 of GNU's assembler with {@code
   * -mavxscalar=256}. Words in braces select one of several encodings. The instructions have low
   * and high register numbers and offsets, because an encoding stores the bits of a number in
   * several places.
   */
  private static final String INSTRUCTIONS =
      """
      c4e27504da {vex} vpmaddubsw %ymm2, %ymm1, %ymm3
      c4e16dfdd3 {vex3} vpaddw %ymm3, %ymm2, %ymm2
      c4610dfdb700000000 {vex3} {disp32} vpaddw 0(%rdi), %ymm14, %ymm14
      c4e175f5ca {vex3} vpmaddwd %ymm2, %ymm1, %ymm1
      c4e27552da {vex} vpdpwssd %ymm2, %ymm1, %ymm3
      c4e17575c9c4e27d1dc9 {vex3} vpcmpeqw %ymm1, %ymm1, %ymm1; {vex} vpabsw %ymm1, %ymm1
      c4410575ffc4427d1dff {vex3} vpcmpeqw %ymm15, %ymm15, %ymm15; {vex} vpabsw %ymm15, %ymm15
      c4e17c108f00000000 {vex3} {disp32} vmovups 0(%rdi), %ymm1
      c4c17c119045230100 {vex3} {disp32} vmovups %ymm2, 74565(%r8)
      c4e17c28d1 {vex3} vmovaps %ymm1, %ymm2
      c4e27550da {vex} vpdpbusd %ymm2, %ymm1, %ymm3
      c4c16dfe9300f0ffff {vex3} {disp32} vpaddd -4096(%r11), %ymm2, %ymm2
      c4e174598800001000 {vex3} {disp32} vmulps 1048576(%rax), %ymm1, %ymm1
      c4e26db8cb {vex3} vfmadd231ps %ymm3, %ymm2, %ymm1
      c4c265b89180000000 {vex3} {disp32} vfmadd231ps 128(%r9), %ymm3, %ymm2
      c4e17c11b800001000 {vex3} {disp32} vmovups %ymm7, 1048576(%rax)
      c4427d18a180000000 {vex3} {disp32} vbroadcastss 128(%r9), %ymm12
      c4417c5be4 {vex3} vcvtdq2ps %ymm12, %ymm12
      c4e16c59d3 {vex3} vmulps %ymm3, %ymm2, %ymm2
      c4e16c58d3 {vex3} vaddps %ymm3, %ymm2, %ymm2
      c4e27d5ab710000000 {vex3} {disp32} vbroadcasti128 16(%rdi), %ymm6
      c4e27d79bf02000000 {vex3} {disp32} vpbroadcastw 2(%rdi), %ymm7
      c4e27d13db {vex3} vcvtph2ps %xmm3, %ymm3
      c4427d2198c8000000 {vex3} {disp32} vpmovsxbd 200(%r8), %ymm11
      c4e27d20f6 {vex3} vpmovsxbw %xmm6, %ymm6
      c4423d008a40000000 {vex3} {disp32} vpshufb 64(%r10), %ymm8, %ymm9
      c4613ddbcc {vex3} vpand %ymm4, %ymm8, %ymm9
      c44135db8aa0000000 {vex3} {disp32} vpand 160(%r10), %ymm9, %ymm9
      c4c165ebda {vex3} vpor %ymm10, %ymm3, %ymm3
      c44115efed {vex3} vpxor %ymm13, %ymm13, %ymm13
      c4c13571d004 {vex3} vpsrlw $4, %ymm8, %ymm9
      c4e16d71d102 {vex3} vpsrlw $2, %ymm1, %ymm2
      c4c17571f104 {vex3} vpsllw $4, %ymm9, %ymm1
      c4e12d71f102 {vex3} vpsllw $2, %ymm1, %ymm10
      c4e12d72d20a {vex3} vpsrld $10, %ymm2, %ymm10
      c4423d458280000000 {vex3} {disp32} vpsrlvd 128(%r10), %ymm8, %ymm8
      c4623d0486e0000000 {vex3} {disp32} vpmaddubsw 224(%rsi), %ymm8, %ymm8
      c4c26d049920000000 {vex3} {disp32} vpmaddubsw 32(%r9), %ymm2, %ymm3
      c4c37d19c001 {vex3} vextractf128 $1, %ymm0, %xmm8
      c4c37d04d1b1 {vex3} vpermilps $177, %ymm9, %ymm2
      c4417e118b40000000 {vex3} {disp32} vmovss %xmm9, 64(%r11)
      0f188f00080000 {disp32} prefetcht0 2048(%rdi)
      410f188900f0ffff {disp32} prefetcht0 -4096(%r9)
      c4e16dfed3 {vex3} vpaddd %ymm3, %ymm2, %ymm2
      c4413c588260000000 {vex3} {disp32} vaddps 96(%r10), %ymm8, %ymm8
      c4c235a89220000000 {vex3} {disp32} vfmadd213ps 32(%r10), %ymm9, %ymm2
      c46275bcc6 {vex3} vfnmadd231ps %ymm6, %ymm1, %ymm8
      c4e1145cd4 {vex3} vsubps %ymm4, %ymm13, %ymm2
      c4e1345ed4 {vex3} vdivps %ymm4, %ymm9, %ymm2
      c4e17c51db {vex3} vsqrtps %ymm3, %ymm3
      c461045ffa {vex3} vmaxps %ymm2, %ymm15, %ymm15
      c441045fbaa0000000 {vex3} {disp32} vmaxps 160(%r10), %ymm15, %ymm15
      c4e27d18db {vex3} vbroadcastss %xmm3, %ymm3
      c4e17e10bf7c000000 {vex3} {disp32} vmovss 124(%rdi), %xmm7
      c4e11572f417 {vex3} vpslld $23, %ymm4, %ymm13
      c4c17572f208 {vex3} vpslld $8, %ymm10, %ymm1
      c4e17c119d20000000 {vex3} {disp32} vmovups %ymm3, 32(%rbp)
      62f2754852da {evex} vpdpwssd %zmm2, %zmm1, %zmm3
      62f17c48108f00000000 {evex} {disp32} vmovups 0(%rdi), %zmm1
      62f17c4828d1 {evex} vmovaps %zmm1, %zmm2
      62d16d48fe9300f0ffff {evex} {disp32} vpaddd -4096(%r11), %zmm2, %zmm2
      62f26d48b8cb {evex} vfmadd231ps %zmm3, %zmm2, %zmm1
      62517c4811b208000000 {evex} {disp32} vmovups %zmm14, 8(%r10)
      62710d48feb700000000 {evex} {disp32} vpaddd 0(%rdi), %zmm14, %zmm14
      62f17c485bf6 {evex} vcvtdq2ps %zmm6, %zmm6
      62c27d4818b980000000 {evex} {disp32} vbroadcastss 128(%r9), %zmm23
      62a17c485bff {evex} vcvtdq2ps %zmm23, %zmm23
      62d17c48118845230100 {evex} {disp32} vmovups %zmm1, 74565(%r8)
      62e2054050e1 {evex} vpdpbusd %zmm1, %zmm31, %zmm20
      6261044059b800001000 {evex} {disp32} vmulps 1048576(%rax), %zmm31, %zmm31
      62d25d40b88980000000 {evex} {disp32} vfmadd231ps 128(%r9), %zmm20, %zmm1
      62517c485bed {evex} vcvtdq2ps %zmm13, %zmm13
      62737d4823c04e {evex} vshuff32x4 $78, %zmm0, %zmm0, %zmm8
      62b3754023d1b1 {evex} vshuff32x4 $177, %zmm17, %zmm17, %zmm2
      62c37d4804d14e {evex} vpermilps $78, %zmm9, %zmm18
      62917c485fc3 {evex} vmaxps %zmm27, %zmm0, %zmm0
      62010540efff {evex} vpxord %zmm31, %zmm31, %zmm31
      62f16c4859d3 {evex} vmulps %zmm3, %zmm2, %zmm2
      62617c48119d00060000 {evex} {disp32} vmovups %zmm27, 1536(%rbp)
      62427d48188600f0ffff {evex} {disp32} vbroadcastss -4096(%r14), %zmm24
      4989f9 mov %rdi, %r9
      4c89c0 mov %r8, %rax
      4d89d3 mov %r10, %r11
      4889ce mov %rcx, %rsi
      4881c700001000 add $0x100000, %rdi
      4981c300f0ffff add $-4096, %r11
      4903b940000000 {disp32} add 64(%r9), %rdi
      4c039948000000 {disp32} add 72(%rcx), %r11
      49baf0debc9a78563412 movabs $0x123456789abcdef0, %r10
      48b8feffffffffffffff movabs $-2, %rax
      4889f3 mov %rsi, %rbx
      4989eb mov %rbp, %r11
      4d89c6 mov %r8, %r14
      4c89f5 mov %r14, %rbp
      53 push %rbx
      55 push %rbp
      4156 push %r14
      415e pop %r14
      5d pop %rbp
      5b pop %rbx
      49039e40000000 {disp32} add 64(%r14), %rbx
      4c03b548000000 {disp32} add 72(%rbp), %r14
      48bdfeffffffffffffff movabs $-2, %rbp
      49bef0debc9a78563412 movabs $0x123456789abcdef0, %r14
      4881c378563412 add $0x12345678, %rbx
      4881c500f0ffff add $-4096, %rbp
      4981c678563412 add $0x12345678, %r14
      c5f877 vzeroupper
      c3 ret
      """;

  private static final Map<String, Op> OPS =
      Map.ofEntries(
          entry("vmovaps", Op.COPY),
          entry("vbroadcastss", Op.BROADCAST),
          entry("vpdpbusd", Op.DOT_PRODUCTS),
          entry("vpmaddubsw", Op.PAIR_PRODUCTS),
          entry("vpaddw", Op.ADD_SHORTS),
          entry("vpdpwssd", Op.SHORT_DOT_PRODUCTS),
          entry("vpmaddwd", Op.PAIR_SUMS),
          entry("vpaddd", Op.ADD_INTS),
          entry("vcvtdq2ps", Op.INTS_TO_FLOATS),
          entry("vmulps", Op.MULTIPLY),
          entry("vfmadd231ps", Op.MULTIPLY_ADD),
          entry("vaddps", Op.ADD),
          entry("vmaxps", Op.MAXIMUM),
          entry("vfmadd213ps", Op.MULTIPLY_THEN_ADD),
          entry("vfnmadd231ps", Op.SUBTRACT_PRODUCT),
          entry("vsubps", Op.SUBTRACT),
          entry("vdivps", Op.DIVIDE),
          entry("vsqrtps", Op.SQUARE_ROOT),
          entry("vbroadcasti128", Op.BROADCAST_HALVES),
          entry("vpbroadcastw", Op.BROADCAST_SHORT),
          entry("vcvtph2ps", Op.HALVES_TO_FLOATS),
          entry("vpmovsxbd", Op.BYTES_TO_INTS),
          entry("vpmovsxbw", Op.BYTES_TO_SHORTS),
          entry("vpshufb", Op.SHUFFLE),
          entry("vpand", Op.AND),
          entry("vpor", Op.OR),
          entry("vpsrlvd", Op.SHIFT_EACH_RIGHT));

  static String[] instructions() {
    return INSTRUCTIONS.split("\n");
  }

  @ParameterizedTest
  @MethodSource("instructions")
  void bytesAreThoseOfAnotherAssembler(String line) {
    String[] parts = line.split(" ", 2);
    AvxAssembler code = new AvxAssembler(line.contains("%zmm") ? 512 : 256);
    String[] words = parts[1].replaceAll("\\{\\w+} |,", "").split(" ");
    if (Set.of("mov", "movabs", "add", "push", "pop").contains(words[0])) {
      ofNumbers(code, words);
    } else {
      ofVectors(code, words);
    }
    assertEquals(parts[0], hex(code));
  }

  private static void ofNumbers(AvxAssembler code, String[] words) {
    if (words[0].equals("mov")) {
      code.copy(register(words[1]), register(words[2]));
    } else if (words[0].equals("push")) {
      code.save(register(words[1]));
    } else if (words[0].equals("pop")) {
      code.restore(register(words[1]));
    } else if (words[0].equals("movabs")) {
      code.set(register(words[2]), Long.decode(words[1].substring(1)));
    } else if (words[1].endsWith(")")) {
      code.add(register(words[2]), base(words[1]), offset(words[1]));
    } else {
      code.add(register(words[2]), Integer.decode(words[1].substring(1)));
    }
  }

  private static void ofVectors(AvxAssembler code, String[] words) {
    switch (words[0]) {
      case "vmovups" -> {
        if (isMemory(words[1])) {
          code.load(vector(words[2]), base(words[1]), offset(words[1]));
        } else {
          code.store(vector(words[1]), base(words[2]), offset(words[2]));
        }
      }
      case "vmovss" -> {
        if (isMemory(words[1])) {
          emit(code, Op.LOAD_FIRST, words);
        } else {
          code.storeFirst(vector(words[1]), base(words[2]), offset(words[2]));
        }
      }
      case "vpcmpeqw" -> code.ones(vector(words[1]));
      case "vpxor", "vpxord" -> code.clear(vector(words[3]));
      case "vpsrlw" -> shift(code, Shift.SHORTS_RIGHT, words);
      case "vpsllw" -> shift(code, Shift.SHORTS_LEFT, words);
      case "vpsrld" -> shift(code, Shift.RIGHT, words);
      case "vpslld" -> shift(code, Shift.LEFT, words);
      case "vextractf128" -> code.upperHalf(vector(words[2]), vector(words[3]));
      case "vshuff32x4" -> code.permuteQuarters(vector(words[2]), bits(words[1]), vector(words[4]));
      case "vpermilps" -> code.permute(vector(words[2]), bits(words[1]), vector(words[3]));
      case "prefetcht0" -> code.fetchAhead(base(words[1]), offset(words[1]));
      case "vzeroupper" -> code.clearUpperParts();
      case "ret" -> code.end();
      default -> emit(code, OPS.get(words[0]), words);
    }
  }

  /** Emits an instruction whose text has the operands b, a (if there is one) and the target. */
  private static void emit(AvxAssembler code, Op op, String[] words) {
    int target = vector(words[words.length - 1]);
    int a = words.length > 3 ? vector(words[2]) : target;
    if (isMemory(words[1]) && a == target) {
      code.emit(op, target, base(words[1]), offset(words[1]));
    } else if (isMemory(words[1])) {
      code.emit(op, a, base(words[1]), offset(words[1]), target);
    } else if (a == target) {
      code.emit(op, vector(words[1]), target);
    } else {
      code.emit(op, a, vector(words[1]), target);
    }
  }

  private static void shift(AvxAssembler code, Shift shift, String[] words) {
    code.shift(shift, vector(words[2]), bits(words[1]), vector(words[3]));
  }

  private static boolean isMemory(String word) {
    return word.endsWith(")");
  }

  private static int bits(String word) {
    return Integer.parseInt(word.substring(1));
  }

  private static int vector(String word) {
    return Integer.parseInt(word.substring("%ymm".length()));
  }

  private static Register register(String word) {
    return Register.valueOf(word.substring(1).toUpperCase(Locale.ROOT));
  }

  private static Register base(String word) {
    return register(word.substring(word.indexOf('%'), word.length() - 1));
  }

  private static int offset(String word) {
    return Integer.parseInt(word.substring(0, word.indexOf('(')));
  }

  /** Compares with {@code vzeroupper; 1: mov %rdi, %rax; dec %rcx; jne.d32 1b; …; ret}. */
  @Test
  void loopsGoBackToWhereTheyBegin() {
    AvxAssembler code = new AvxAssembler(256);
    code.clearUpperParts();
    int begin = code.label();
    code.copy(Register.RDI, Register.RAX);
    for (String counter : "RCX R11 R14 RBX RBP".split(" ")) {
      code.loop(Register.valueOf(counter), begin);
    }
    code.end();
    String counted =
        ("48ffc9" + "0f85f4ffffff" + "49ffcb" + "0f85ebffffff" + "49ffce" + "0f85e2ffffff")
            + ("48ffcb" + "0f85d9ffffff" + "48ffcd" + "0f85d0ffffff");
    assertEquals("c5f877" + "4889f8" + counted + "c3", hex(code));
  }

  private static String hex(AvxAssembler code) {
    return HexFormat.of().formatHex(code.code());
  }
}
