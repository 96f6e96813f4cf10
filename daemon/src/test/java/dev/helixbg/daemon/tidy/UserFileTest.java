package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.config.natives.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFileTest {
  private static final byte[] OLD = "- old\r\n".getBytes(UTF_8);
  private static final byte[] NEW = "- new\r\n".getBytes(UTF_8);

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = folder.toRealPath().resolve("MEMORY.md");
    Files.write(file, OLD);
  }

  private boolean replace() throws IOException {
    return new UserFile(file).replace(OLD, NEW);
  }

  private void assertRefused(String why) throws IOException {
    String said = assertThrows(FileSystemException.class, this::replace).getReason();
    assertTrue(said.contains(why), said);
    assertEquals("- old\r\n", Files.readString(file));
    assertTrue(OnDisk.names(file.getParent()).stream().noneMatch(one -> one.endsWith(".tmp")));
  }

  private boolean isRoot() throws IOException {
    return Integer.valueOf(0).equals(Files.getAttribute(folder, "unix:uid"));
  }

  @Test
  void modeOwnerAndGroupStay() throws Exception {
    for (String mode : new String[] {"rw-rw-r--", "rw-------", "rwxrwxrwx"}) {
      Files.write(file, OLD);
      OnDisk.setMode(file, mode);
      if (isRoot()) {
        Files.setAttribute(file, "unix:gid", 1);
      }
      Object group = Files.getAttribute(file, "unix:gid");
      assertTrue(replace());
      assertEquals("- new\r\n", Files.readString(file));
      assertEquals(mode, OnDisk.mode(file));
      assertEquals(group, Files.getAttribute(file, "unix:gid"));
    }
  }

  @Test
  void attributesOfTheUserStay() throws Exception {
    UserDefinedFileAttributeView old =
        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    assumeTrue(Files.getFileStore(file).supportsFileAttributeView("user"), "no such file system");
    old.write("tag", ByteBuffer.wrap(NEW));
    assertTrue(replace());
    ByteBuffer now = ByteBuffer.allocate(NEW.length);
    Files.getFileAttributeView(file, UserDefinedFileAttributeView.class).read("tag", now);
    assertArrayEquals(NEW, now.array());
  }

  /**
   * Without the access control list, the mode would give the group the rights of the list's mask.
   */
  @Test
  void anAccessControlListIsRefused() throws Exception {
    ByteBuffer list = ByteBuffer.allocate(4 + 5 * 8).order(ByteOrder.LITTLE_ENDIAN).putInt(2);
    int[][] entries = {{1, 6, -1}, {2, 6, 1000}, {4, 0, -1}, {16, 6, -1}, {32, 4, -1}};
    for (int[] entry : entries) { // tag, rights, user
      list.putShort((short) entry[0]).putShort((short) entry[1]).putInt(entry[2]);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_BYTE, list.array());
      long failed =
          NativeFunction.ofC("setxattr")
              .orElseThrow()
              .call(
                  arena.allocateFrom(file.toString()).address(),
                  arena.allocateFrom("system.posix_acl_access").address(),
                  value.address(),
                  value.byteSize(),
                  0,
                  0,
                  0,
                  0);
      assumeTrue(failed == 0, "the file system has no access control lists");
    }
    assertRefused("it has an access control list");
  }

  @Test
  void whatHasChangedIsLeftAlone() throws Exception {
    Files.writeString(file, "- other\n");
    assertFalse(replace());
    assertEquals("- other\n", Files.readString(file));
  }

  @Test
  void aLinkAndASecondNameAreRefused() throws Exception {
    Path real = Files.move(file, folder.resolve("real.md"));
    Files.createSymbolicLink(file, real);
    assertRefused("it is a link");
    Files.delete(file);
    Files.createLink(file, real);
    assertRefused("second name");
  }

  @Test
  void aReadOnlyFileAndFolderAreRefused() throws Exception {
    OnDisk.setMode(file, "r--r--r--");
    assertRefused("it is read-only");
    OnDisk.setMode(file, "rw-r--r--");
    OnDisk.setMode(folder, "r-xr-xr-x");
    try {
      assertRefused("its folder is read-only");
    } finally {
      OnDisk.setMode(folder, "rwxr-xr-x");
    }
  }

  @Test
  void anotherUsersFileIsRefused() throws Exception {
    assumeTrue(isRoot(), "root can give");
    Files.setAttribute(file, "unix:uid", 12_345);
    assertRefused("another user");
  }

  @Test
  void aFileThatAnotherProcessWritesOrHasLockedIsRefused() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc")), "only Linux tells");
    try (Held _ = new Held("exec 3>>\"$0\"")) {
      assertRefused("has it open for writing");
    }
    try (Held _ = new Held("exec 3<\"$0\"; flock 3")) {
      assertRefused("has locked it");
    }
    try (Held _ = new Held("exec 3<\"$0\"")) {
      assertTrue(replace(), "readers do not matter");
    }
  }

  private final class Held implements AutoCloseable {
    private final Process process;

    Held(String script) throws IOException {
      process =
          new ProcessBuilder("sh", "-c", script + "; echo ready; read end", file.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      assertEquals("ready", process.inputReader().readLine());
    }

    @Override
    public void close() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }
  }
}
