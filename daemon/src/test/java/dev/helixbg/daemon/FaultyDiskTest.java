package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.helixbg.daemon.FaultyDisk.Dead;
import dev.helixbg.daemon.FaultyDisk.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a {@link FaultyDisk} has the requested faults. */
class FaultyDiskTest {
  @TempDir Path folder;

  private final FaultyDisk disk = new FaultyDisk();
  private Path real;
  private Path file;

  @BeforeEach
  void name() {
    real = folder.resolve("file");
    file = disk.of(real);
  }

  private void write(String text) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  @Test
  void withoutAFaultAllIsAsEverAndCounted() throws IOException {
    disk.failAt(Integer.MAX_VALUE, Fault.NONE);
    write("text");
    assertEquals(2, disk.operations(), "open and write");
    assertEquals("text", Files.readString(file));
    assertEquals(0, disk.mend());
  }

  @Test
  void oneOperationFailsAndTheNextDoesNot() throws IOException {
    disk.failAt(1, Fault.ONE);
    assertThrows(IOException.class, () -> write("text"));
    write("text");
    assertEquals("text", Files.readString(real));
  }

  @Test
  void aShortWriteIsFollowedByAFullDisk() throws IOException {
    disk.failAt(1, Fault.SHORT);
    assertThrows(IOException.class, () -> write("text"));
    assertEquals("te", Files.readString(real));
    write("text");
  }

  @Test
  void aFullDiskStaysFullAndCanBeReadAndClearedUp() throws IOException {
    write("text");
    disk.failAt(0, Fault.FULL);
    assertThrows(IOException.class, () -> write("more"));
    assertThrows(IOException.class, () -> Files.createDirectory(disk.of(folder.resolve("new"))));
    assertEquals("text", Files.readString(file));
    Files.delete(file);
    disk.mend();
    write("more");
  }

  @Test
  void theDeadWriteHalfAndDoNothingAnyMore() throws IOException {
    disk.failAt(1, Fault.DEATH);
    assertThrows(Dead.class, () -> write("text"));
    assertThrows(Dead.class, () -> Files.delete(file));
    assertThrows(Dead.class, () -> Files.exists(file));
    assertEquals("te", Files.readString(real));
    assertEquals(0, disk.mend());
    Files.delete(file);
    assertFalse(Files.exists(real));
  }

  @Test
  void whatIsLeftOpenIsCounted() throws IOException {
    try (FileChannel left =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertEquals(1, disk.mend());
      assertEquals(0, left.size());
    }
    assertEquals(0, disk.mend());
  }
}
