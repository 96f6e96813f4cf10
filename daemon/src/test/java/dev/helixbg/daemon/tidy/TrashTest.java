package dev.helixbg.daemon.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that files are in the desktop's trash as other programs expect them. */
class TrashTest {
  private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 28, 6, 5, 4);

  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    Path file = folder.toRealPath().resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Trash trash() {
    return new Trash(folder.resolve("share/Trash"), false);
  }

  @Test
  void aFileIsInFilesAndItsOldPlaceInInfo() throws Exception {
    Path file = file("notes/Wäsche 1%.md", "text");
    Trash.Moved moved = trash().move(file, NOW);

    assertFalse(Files.exists(file));
    assertEquals("text", Files.readString(folder.resolve("share/Trash/files/Wäsche 1%.md")));
    String info = Files.readString(folder.resolve("share/Trash/info/Wäsche 1%.md.trashinfo"));
    assertTrue(info.startsWith("[Trash Info]\nPath=" + folder.toRealPath() + "/notes/"), info);
    assertTrue(info.contains("/W%C3%A4sche%201%25.md\nDeletionDate=2026-11-28T06:05:04\n"), info);

    moved.putBack();
    assertEquals("text", Files.readString(file));
    assertFalse(Files.exists(moved.info().orElseThrow()));
  }

  @ParameterizedTest
  @CsvSource({"false, share/Trash, share/Trash/files", "true, .Trash, .Trash"})
  void anotherFileOfThatNameStays(boolean isMac, String trash, String files) throws Exception {
    Trash ofSystem = new Trash(folder.resolve(trash), isMac);
    ofSystem.move(file("a.md", "one"), NOW);
    ofSystem.move(file("a.md", "two"), NOW);
    assertEquals("one", Files.readString(folder.resolve(files).resolve("a.md")));
    assertEquals("two", Files.readString(folder.resolve(files).resolve("a.2.md")));
  }

  /** Another program may have left a file without the record of its old path. */
  @Test
  void aFileWithoutInfoStaysAndLeavesNoInfo() throws Exception {
    file("share/Trash/files/a.md", "stranger");
    trash().move(file("a.md", "mine"), NOW);
    assertEquals("stranger", Files.readString(folder.resolve("share/Trash/files/a.md")));
    assertFalse(Files.exists(folder.resolve("share/Trash/info/a.md.trashinfo")));
    assertEquals("mine", Files.readString(folder.resolve("share/Trash/files/a.2.md")));
  }

  @Test
  void nothingIsPutBackOverAnotherFile() throws Exception {
    Path file = file("a.md", "old");
    Trash.Moved moved = trash().move(file, NOW);
    Files.writeString(file, "new");
    assertThrows(IOException.class, moved::putBack);
    assertEquals("new", Files.readString(file));
  }

  @Test
  void foldersAndLinksAreNoFiles() throws Exception {
    Path file = file("a.md", "text");
    Path link = Files.createSymbolicLink(folder.resolve("link.md"), file);
    assertThrows(IOException.class, () -> trash().move(link, NOW));
    assertThrows(IOException.class, () -> trash().move(folder.resolve("missing.md"), NOW));
    assertThrows(IOException.class, () -> trash().move(folder, NOW));
    assertTrue(Files.exists(file));
  }
}
