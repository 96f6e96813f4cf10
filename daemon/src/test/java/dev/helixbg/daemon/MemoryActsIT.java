package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryActsIT {
  private static final String TWICE = "- Local builds use mvnd.\r\n  It is faster.\r\n";

  @TempDir Path folder;
  private Program program;
  private Path memory;

  private String run(ExitCode code, String... arguments) throws Exception {
    Program.Ended ended = program.run(arguments);
    assertEquals(code.number(), ended.code(), ended.out() + ended.err());
    assertEquals("", ended.err());
    return ended.out();
  }

  @Test
  void anItemGoesAndComesBackByteForByte() throws Exception {
    Path home = Files.createDirectory(folder.toRealPath().resolve("home"));
    program = new Program(home).withModel().withoutC2();
    memory = home.resolve("MEMORY.md");
    String text = "# Memory\r\n\r\n" + TWICE + "- Be short.\r\n" + TWICE + "- Be kind.";
    Files.writeString(memory, text);
    byte[] before = Files.readAllBytes(memory);
    Program.Ended first =
        program.run("one-shot", "--notes", memory.toString(), "--json", "--copy-report", "out");
    String id = first.ok().json().at("/copies/0/id").asText();
    String[] act = {"act", id, "--run", "--notes", memory.toString()};

    String plan = run(ExitCode.OK, "act", id, "--run", "--dry-run", "--notes", memory.toString());
    assertTrue(plan.contains("goes") && plan.contains("  It is faster."), plan);
    assertFalse(plan.contains("Be kind"), plan);
    assertArrayEquals(before, Files.readAllBytes(memory));
    String report = Files.readString(home.resolve("out/report.md"));
    String ofReport = report.replaceFirst("(?s).*`helix-bg (act " + id + "[^`]*)`.*", "$1");
    assertTrue(run(ExitCode.OK, ofReport.split(" ")).contains("  It is faster."), ofReport);

    OnDisk.setMode(memory, "r--r--r--");
    String refused = run(ExitCode.UNDONE, act);
    assertTrue(refused.contains("cannot change " + memory + ": it is read-only"), refused);
    assertArrayEquals(before, Files.readAllBytes(memory));
    OnDisk.setMode(memory, "rw-rw-r--");

    assertTrue(run(ExitCode.OK, act).startsWith("done"));
    assertTrue(Files.readString(memory).split("mvnd").length == 2, Files.readString(memory));
    assertEquals("rw-rw-r--", OnDisk.mode(memory));
    assertFalse(listed().contains(id));

    String[] undo = {"act", id, "--undo", "--notes", memory.toString()};
    assertTrue(run(ExitCode.OK, undo).startsWith("done"));
    assertArrayEquals(before, Files.readAllBytes(memory));
    String none = run(ExitCode.UNDONE, undo);
    assertTrue(none.startsWith("not done ") && none.contains("has kept no text that an act"), none);
    assertTrue(listed().contains(id));
  }

  private String listed() throws Exception {
    return program.run("findings", "--notes", memory.toString(), "--all").ok().out();
  }
}
