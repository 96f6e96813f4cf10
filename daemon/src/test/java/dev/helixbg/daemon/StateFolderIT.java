package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a state folder on a full or read-only disk: there is one clear error, and nothing is lost.
 */
class StateFolderIT {
  @TempDir Path folder;

  private Path state;
  private Program program;
  private WritableKb kb;
  private String finding;

  @BeforeEach
  void aKbWithADecision() throws Exception {
    assumeTrue(Files.getOwner(folder).getName().equals("root"), "mounting needs root");
    state = Files.createDirectory(folder.resolve("state"));
    ExternalTool.mount("-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", state.toString());
    program =
        new Program(Files.createDirectory(folder.resolve("home")))
            .withModel()
            .withoutC2()
            .with("HELIX_BG_STATE", state.toString());
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
    kb.append("a", "The broker keeps its leases for 30 seconds.");
    kb.append("a", "The broker keeps its leases for 30 seconds, then drops them.");
    kb.append("b", "The printer in the hall is out of paper.");
    succeed("one-shot", at());
    finding = succeed("findings", at()).split(" ")[0];
    succeed("dismiss", "--kb", at(), finding);
  }

  @AfterEach
  void unmount() throws Exception {
    if (state != null) {
      new ProcessBuilder("umount", state.toString()).start().waitFor();
    }
  }

  private String at() {
    return kb.kb().folder().toString();
  }

  private String succeed(String... arguments) throws Exception {
    return program.run(arguments).ok().out();
  }

  private void assertRefused(String why, String... arguments) throws Exception {
    String said = program.run(arguments).with(ExitCode.WRITE).err();
    assertEquals(1, said.lines().count(), said);
    assertTrue(said.startsWith("helix-bg: cannot "), said);
    assertTrue(said.contains(state.toString()) && said.contains(why), said);
  }

  @Test
  void aFullDiskIsNamedAndDecisionsStay() throws Exception {
    kb.append("b", "The printer in the hall has paper again.");
    byte[] log = Files.readAllBytes(kb.log());
    Path ballast = state.resolve("ballast");
    ExternalTool.fill(ballast);
    assertRefused("the disk is full", "one-shot", at());
    assertRefused("the disk is full", "undo", "--kb", at(), finding);
    assertArrayEquals(log, Files.readAllBytes(kb.log()));
    Files.delete(ballast);
    succeed("one-shot", at());
    assertTrue(succeed("findings", at(), "--settled").startsWith(finding));
  }

  @Test
  void aReadOnlyDiskIsNamedAndDecisionsStay() throws Exception {
    ExternalTool.mount("-o", "remount,ro", state.toString());
    assertRefused("writable", "findings", at());
    assertRefused("writable", "undo", "--kb", at(), finding);
    assertRefused("writable", "one-shot", at());
    ExternalTool.mount("-o", "remount,rw", state.toString());
    assertTrue(succeed("findings", at(), "--settled").startsWith(finding));
  }
}
