package dev.helixbg.insight.notes;

import dev.helixbg.insight.notes.MarkdownScan.Link;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Compares the lines of an index, {@code - [Title](file.md) — description}, with the files that
 * they link to. Lines in code and comments are skipped: they are examples, or no longer in use.
 */
record IndexCheck(NoteLinks links, NoteFiles files) {
  private static final Pattern LINE =
      Pattern.compile(
          "^ {0,3}(?:[-*+]|\\d{1,3}[.)])[ \\t]+(?:\\*\\*)?\\[[^\\[\\]]{1,200}\\]"
              + "\\(([^()\\s#:]{1,300}\\.(?:md|markdown))(?:#[^()]*)?\\)(?:\\*\\*)?(.*)$",
          Pattern.MULTILINE | Pattern.CASE_INSENSITIVE);

  private static final Pattern WORD =
      Pattern.compile("\\p{IsHan}|[\\p{L}\\p{N}&&[^\\p{IsHan}]]{4,}");

  /** Minimum number of words in a description that is compared with the file's text. */
  private static final int LEAST_WORDS = 4;

  /** Number of first letters of a word that are compared, so that endings do not matter. */
  private static final int STEM = 5;

  private static final int MOST_LINES = 1_000;

  /** Returns the wrong lines in order: the linked file is missing or has no word of the line. */
  List<IndexLine> of(Note note, String text) {
    List<IndexLine> wrong = new ArrayList<>();
    Map<Integer, String> targets = new HashMap<>(); // by offset; none in code or comments
    MarkdownScan.of(text).links().forEach(link -> targets.put(link.at(), link.target()));
    int line = 1;
    int counted = 0;
    int looked = 0;
    for (Matcher found = LINE.matcher(text); found.find() && looked < MOST_LINES; looked++) {
      for (; counted < found.start(); counted++) {
        line += text.charAt(counted) == '\n' ? 1 : 0;
      }
      String target = targets.get(found.start(1) - "](".length());
      if (target == null || target.startsWith("~")) {
        continue; // an example, or a file in the user's home folder
      }
      Optional<NoteName> place =
          links.target(note, new Link(0, false, target, "", Optional.empty()));
      boolean isGone = place.isEmpty() && isGone(note, target);
      if (isGone || saysSomethingElse(place, target, found.group(2))) {
        wrong.add(new IndexLine(line, found.group(1), isGone));
      }
    }
    return wrong;
  }

  private boolean isGone(Note note, String target) {
    try {
      Path there = files.file(note.path()).orElseThrow().resolveSibling(target);
      return Files.notExists(there, LinkOption.NOFOLLOW_LINKS);
    } catch (InvalidPathException e) {
      return false; // the path is not valid on this operating system
    }
  }

  private boolean saysSomethingElse(Optional<NoteName> place, String target, String said) {
    Set<String> words = words(said);
    Path file = place.map(NoteName::file).flatMap(files::file).orElse(null);
    if (words.size() < LEAST_WORDS || file == null) {
      return false;
    }
    try {
      Set<String> there = words(target + " " + NotesLog.text(file).orElse(said));
      return words.stream().noneMatch(there::contains);
    } catch (IOException e) {
      return false; // the run reports elsewhere that the file cannot be read
    }
  }

  private static Set<String> words(String text) {
    return WORD.matcher(text.toLowerCase(Locale.ROOT))
        .results()
        .map(found -> found.group().substring(0, Math.min(STEM, found.group().length())))
        .collect(Collectors.toSet());
  }
}
