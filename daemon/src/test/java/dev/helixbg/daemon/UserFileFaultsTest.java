package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.FaultyDisk.Dead;
import dev.helixbg.daemon.FaultyDisk.Fault;
import dev.helixbg.daemon.tidy.UserFile;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a change of a user's file: each disk operation in turn fails, or kills the process. */
class UserFileFaultsTest {
  private static final byte[] OLD = "- old\n".repeat(100).getBytes(UTF_8);
  private static final byte[] NEW = "- new\n".repeat(90).getBytes(UTF_8);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Fault.class)
  void itHoldsTheOldTextOrTheNewOneAndNothingIsLeftBesideIt(Fault fault) throws Exception {
    FaultyDisk disk = new FaultyDisk();
    Path real = folder.resolve("MEMORY.md");
    Path file = disk.of(real);
    Files.write(real, OLD);
    try (SeekableByteChannel _ = Files.newByteChannel(file)) {
      assertEquals(1, disk.mend(), "a file that is left open counts");
    }
    Set<String> failures = new HashSet<>();
    boolean wroteHalf = false;
    int at = 0;
    do {
      Files.write(real, OLD);
      disk.failAt(at, fault);
      boolean isDone = false;
      try {
        isDone = new UserFile(file).replace(OLD, NEW);
      } catch (IOException | Dead e) {
        assertTrue(fault != Fault.NONE, String.valueOf(e));
        failures.add(String.valueOf(e.getMessage()).replaceFirst(".*: ", ""));
      }
      boolean isDead = disk.isDead();
      assertEquals(0, disk.mend(), "files are left open at " + at);
      boolean isNew = Files.readString(real).equals(new String(NEW, UTF_8));
      assertTrue(isNew || Files.readString(real).equals(new String(OLD, UTF_8)), "at " + at);
      assertTrue(isNew == isDone || isDead && isNew, "at " + at);
      assertFalse(fault == Fault.FULL && disk.kept(), "a full disk lets files be deleted");
      if (isDead || disk.kept()) {
        try (Stream<Path> left = Files.list(folder)) {
          wroteHalf |= left.anyMatch(path -> path.toFile().length() == NEW.length / 2);
        }
        AtomicFile.deleteLeftoversOf(real);
      }
      try (Stream<Path> left = Files.list(folder)) {
        assertEquals(List.of(real), left.toList(), "at " + at);
      }
    } while (fault != Fault.NONE && disk.operations() > at++);
    assertTrue(at > 10 || fault == Fault.NONE, "too few operations: " + at);
    assertEquals(fault == Fault.DEATH, wroteHalf, "half of a file is left");
    if (fault != Fault.NONE) {
      String expected =
          switch (fault) {
            case SHORT, FULL -> "No space left on device"; // SHORT: at the second write
            case DEATH -> "null";
            default -> "Input/output error";
          };
      assertTrue(failures.contains(expected), failures.toString());
    }
  }
}
