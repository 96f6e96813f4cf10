package dev.helixbg.llm.cpu.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.AvxAssembler;
import dev.helixbg.config.x86.AvxAssembler.Register;
import dev.helixbg.config.x86.MachineCode;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks that code of {@link AvxAssembler} becomes a function if processor and settings allow it.
 */
class MachineCodeTest {
  private static final String OF_ALL = "sse2";

  @Test
  void functionsRunAndReturn() {
    assumeTrue(MachineCode.runs(OF_ALL), "no x86-64 processor with Linux, or switched off");
    NativeFunction sum = MachineCode.function(firstAndThreeTimesTheFourth()).orElseThrow();
    NativeFunction third = MachineCode.function(theThird()).orElseThrow();
    assertEquals((5L << 40) + 21, sum.call(5L << 40, 0, 0, 7, 0, 0, 0, 0));
    assertEquals(-3, third.call(1, 2, -3));
    assertEquals(4, sum.call(1, 0, 0, 1, 0, 0, 0, 0), "functions have memory of their own");
  }

  private static byte[] firstAndThreeTimesTheFourth() {
    AvxAssembler code = new AvxAssembler(256);
    code.copy(Register.RDI, Register.RAX);
    int round = code.label();
    code.add(Register.RAX, 3);
    code.loop(Register.RCX, round);
    code.end();
    return code.code();
  }

  private static byte[] theThird() {
    AvxAssembler code = new AvxAssembler(256);
    code.copy(Register.RDX, Register.RAX);
    code.end();
    return code.code();
  }

  @Test
  void instructionsAreThoseOfTheProcessor() {
    assertFalse(MachineCode.runs("no_such"));
    assertFalse(MachineCode.runs(""));
    assertFalse(MachineCode.runs("sse2 ssse3"), "names are whole words");
  }

  @Test
  void theSwitchTurnsItOff() throws Exception {
    String off = "-Dhelixbg.machine.code=false";
    String on = "-Dhelixbg.machine.code=true";
    assertEquals("false false", runs(off));
    boolean here = System.getProperty("os.arch").equals("amd64");
    assumeTrue(here && System.getProperty("os.name").equals("Linux"), "no x86-64 with Linux");
    assertTrue(runs(on).startsWith("true "));
    assertEquals("true false", runs("-Dhelixbg.machine.code=" + OF_ALL), "that set alone");
  }

  private static String runs(String option) throws Exception {
    return ForkedJvm.run(Redirect.INHERIT, List.of(option), MachineCodeTest.class).strip();
  }

  /** Prints whether any machine code can run, and whether machine code for products can run. */
  public static void main(String[] arguments) {
    System.out.println(MachineCode.runs(OF_ALL) + " " + ByteProduct.AVAILABLE);
  }
}
