package dev.helixbg.insight.notes;

import dev.helixbg.insight.notes.MarkdownScan.Link;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds lines of an index of memory files, {@code - [Title](file.md) — hook}, against the files.
 */
final class IndexCheck {
  private static final Pattern LINE =
      Pattern.compile(
          "^ {0,3}(?:[-*+]|\\d{1,3}[.)])[ \\t]+(?:\\*\\*)?\\[[^\\[\\]]{1,200}\\]"
              + "\\(([^()\\s#:]{1,300}\\.(?:md|markdown))(?:#[^()]*)?\\)",
          Pattern.MULTILINE | Pattern.CASE_INSENSITIVE);

  private static final int MOST_LINES = 1_000;

  private final NoteLinks links;
  private final Map<String, NoteFiles.File> files;

  /**
   * @param files by path
   */
  IndexCheck(NoteLinks links, Map<String, NoteFiles.File> files) {
    this.links = links;
    this.files = files;
  }

  /** The lines whose file does not exist, in their order. */
  List<IndexLine> of(Note note, String text) {
    List<IndexLine> dead = new ArrayList<>();
    int line = 1;
    int counted = 0;
    int looked = 0;
    for (Matcher found = LINE.matcher(text); found.find() && looked < MOST_LINES; looked++) {
      for (; counted < found.start(); counted++) {
        line += text.charAt(counted) == '\n' ? 1 : 0;
      }
      String target = found.group(1);
      if (isGone(note, target)) {
        dead.add(new IndexLine(line, target));
      }
    }
    return dead;
  }

  private boolean isGone(Note note, String target) {
    String path = target.replace("%20", " ");
    if (links.target(note, new Link(0, false, path, "", Optional.empty())).isPresent()) {
      return false;
    }
    try {
      Path there = files.get(note.path()).file().getParent().resolve(path);
      return Files.notExists(there, LinkOption.NOFOLLOW_LINKS);
    } catch (InvalidPathException e) {
      return false; // a name that this system cannot have
    }
  }
}
