package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KbLockTest {
  @TempDir Path folder;

  @Test
  void aSecondTakerIsToldAndTheNextOneGetsItAfterwards() {
    Kb kb = new Kb(folder);
    try (KbLock first = KbLock.take(kb)) {
      assertEquals(ExitCode.BUSY, assertThrows(Failure.class, () -> KbLock.take(kb)).code());
    }
    KbLock.take(kb).close();
  }

  @Test
  void aFolderThatCannotBeMadeIsAWriteFailure() throws IOException {
    Files.createFile(folder.resolve("insights"));
    Failure failure = assertThrows(Failure.class, () -> KbLock.take(new Kb(folder)));
    assertEquals(ExitCode.WRITE, failure.code());
  }
}
