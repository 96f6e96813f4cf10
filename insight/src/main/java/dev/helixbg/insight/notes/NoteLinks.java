package dev.helixbg.insight.notes;

import static dev.helixbg.insight.notes.NoteName.fileName;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.notes.MarkdownScan.Link;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the targets of links. A link is a path relative to the note or to the folder of notes. A
 * wiki link can also be a name, an alias, or the Zettelkasten id at the beginning of a name. A link
 * to a folder leads to the folder's page {@code index} or {@code README}. Names match in any
 * Unicode form; case matters only if paths differ in nothing else. If several notes match, the link
 * leads to the matching note in the folder of the note with the link. If that folder has none, it
 * leads to the matching note with the shortest path.
 */
final class NoteLinks {
  /** The name of a page to which links to its folder lead. */
  private static final Pattern INDEX = Pattern.compile("(?<=[^/])/(?:_?index|readme)$");

  /** A name that begins with a Zettelkasten id, which is a date and time. */
  private static final Pattern WITH_ID = Pattern.compile("^(\\d{10,})\\D.*");

  private final Map<String, Note> byPath = new HashMap<>();
  private final Map<String, Map<String, Note>> byName = new HashMap<>();

  /** The sections of each note, by heading and by the anchor that GitHub derives from it. */
  private final Map<Note, Map<String, NoteName>> byHeading = new IdentityHashMap<>();

  /** Indexes the notes, which must be in the order of their paths. */
  NoteLinks(List<Note> notes) {
    for (Note note : notes) {
      String path = normal(withoutEnding(note.path()));
      byPath.putIfAbsent(path, note);
      called(fileName(path), note);
      called(withoutEnding(fileName(note.path())), note); // a/b for Logseq's a___b.md
      List<String> aliases = note.aliases();
      aliases.forEach(alias -> called(alias, note));
      if (aliases.size() == 1) { // Obsidian and Logseq divide a text at its commas
        Stream.of(aliases.getFirst().split(",")).forEach(alias -> called(alias.strip(), note));
      }
    }
    for (Note note : notes) {
      String path = lower(normal(withoutEnding(note.path())));
      String page = INDEX.matcher(path).replaceFirst("");
      byPath.putIfAbsent(path, note);
      byPath.putIfAbsent(page, note);
      byName.putIfAbsent(fileName(page), Map.of("*", note));
      byName.putIfAbsent(WITH_ID.matcher(fileName(path)).replaceFirst("$1"), Map.of("*", note));
    }
  }

  private void called(String name, Note note) {
    Map<String, Note> all = byName.computeIfAbsent(lower(name), _ -> new HashMap<>());
    all.putIfAbsent(folder(note.path()), note);
    all.merge("*", note, (one, other) -> other.path().length() < one.path().length() ? other : one);
  }

  /** Returns the place of the section that a link leads to; empty if the note does not exist. */
  Optional<NoteName> target(Note from, Link link) {
    return note(from, link)
        .map(note -> section(note, link.heading()))
        .or(() -> link.otherwise().flatMap(other -> target(from, other)));
  }

  private Optional<Note> note(Note from, Link link) {
    String target = withoutEnding(link.target());
    String folder = folder(from.path());
    String near = normal(target.startsWith("/") ? target : folder + target);
    String far = normal(target);
    String page = INDEX.matcher(lower(target)).replaceFirst("");
    return Stream.concat(
            Stream.of(near, lower(near), far, lower(far)).map(byPath::get),
            (link.wiki() ? Stream.of(lower(target), fileName(page)) : Stream.<String>of())
                .map(name -> byName.getOrDefault(name, Map.of()))
                .flatMap(named -> Stream.of(folder, "*").map(named::get)))
        .filter(Objects::nonNull)
        .findFirst();
  }

  /**
   * Returns the section of which {@code heading} is the heading or the anchor on GitHub. If there
   * is none, returns the first section.
   */
  private NoteName section(Note note, String heading) {
    NoteName first = note.sections().getFirst().place();
    String wanted = lower(heading.substring(heading.lastIndexOf('#') + 1));
    return wanted.isEmpty() || note.sections().size() == 1
        ? first
        : byHeading.computeIfAbsent(note, NoteLinks::headings).getOrDefault(wanted, first);
  }

  private static Map<String, NoteName> headings(Note note) {
    Map<String, NoteName> headings = new HashMap<>();
    for (Note.Section section : note.sections()) {
      if (!section.headings().isEmpty()) {
        String heading = section.headings().getLast();
        headings.putIfAbsent(lower(heading), section.place());
        headings.putIfAbsent(anchor(heading), section.place());
      }
    }
    return headings;
  }

  private static String anchor(String heading) {
    return lower(heading).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  /** Resolves {@code .} and {@code ..}; returns {@code ..} if the path leaves the notes folder. */
  private static String normal(String path) {
    Deque<String> parts = new ArrayDeque<>();
    for (String part : NormalForm.composed(path).split("/")) {
      if (part.equals("..")) {
        if (parts.pollLast() == null) {
          return "..";
        }
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.addLast(part);
      }
    }
    return String.join("/", parts);
  }

  /** Returns the folder of a path with its slash; empty for the folder of the notes itself. */
  private static String folder(String path) {
    return path.substring(0, path.lastIndexOf('/') + 1);
  }

  /** Returns a path without its ending; {@code a/b} for Logseq's {@code a___b} or {@code a%2Fb}. */
  private static String withoutEnding(String path) {
    String name = fileName(path);
    String own = NoteFiles.isNote(name) ? NoteName.withoutEnding(name) : name;
    return folder(path) + MarkdownScan.decoded(own).replace("___", "/");
  }

  private static String lower(String text) {
    return NormalForm.composed(text.toLowerCase(Locale.ROOT));
  }
}
