package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the comparison of an index of memory files with the files. */
class IndexCheckTest {
  private static final String INDEX =
      """
      # Memory

      - [Gone](gone.md) — the file went away
      - [Leases](topics/leases.md) — how long the lease of a worker lasts
      - [Tabs](topics/tabs.md#x) — caravans cross the desert on Wednesdays
      - [Site](https://example.org/a.md) — elsewhere
      - [Out](sub%20dir/it%20is.md) — short
      - [Coffee](caf%C3%A9.md) — short
      - [Home](~/other.md) — short

      ```
      - [Example](example.md) — in code
      ```
      <!--
      - [Former](former.md) — in a comment
      -->
      """;

  @TempDir private Path folder;

  private MemoryFile index(NoteFiles files) throws IOException {
    return NotesLog.update(folder.resolve("data.log"), files, true, NotesItems.AUTO)
        .memory()
        .getFirst();
  }

  @Test
  void linesThatLeadNowhereOrElsewhereAreFound() throws IOException {
    Files.createDirectories(folder.resolve("topics"));
    Files.createDirectories(folder.resolve("sub dir"));
    Path file = Files.writeString(folder.resolve("MEMORY.md"), INDEX);
    Files.writeString(folder.resolve("topics/leases.md"), "A worker holds its lease for 30 s.");
    Files.writeString(folder.resolve("topics/tabs.md"), "We indent with tab characters.");
    Files.writeString(folder.resolve("sub dir/it is.md"), "Something.");
    Files.writeString(folder.resolve("café.md"), "Something.");
    MemoryFile found = index(NoteFiles.in(folder, folder.resolve("none")));
    assertEquals("an index of other files", found.cut());
    IndexLine dead = new IndexLine(3, "gone.md", true);
    assertEquals(List.of(dead, new IndexLine(5, "topics/tabs.md", false)), found.index());
    assertEquals(List.of(dead), index(NoteFiles.of(file)).index(), "only the index is read");
  }
}
