package dev.helixbg.insight.notes;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.notes.MarkdownScan.Link;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the targets of links. A link is a path relative to the note or to the folder. A wiki link
 * can also be a name or an alias. Case and Unicode forms do not matter. If several notes have the
 * name, the link leads to the note in the same folder. If that folder has none, the link leads to
 * the note with the shortest path.
 */
final class NoteLinks {
  private final Map<String, Note> byPath = new HashMap<>();
  private final Map<String, Map<String, Note>> byName = new HashMap<>();

  /** For each note, the sections to which links with a heading lead, by heading and by anchor. */
  private final Map<Note, Map<String, NoteName>> byHeading = new IdentityHashMap<>();

  /** Indexes the notes, which must be in the order of their paths. */
  NoteLinks(List<Note> notes) {
    for (Note note : notes) {
      String path = withoutEnding(note.path());
      byPath.putIfAbsent(path, note);
      called(path.substring(path.lastIndexOf('/') + 1), note);
      note.aliases().forEach(alias -> called(alias, note));
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
    Note found = byPath.get(normal(target.startsWith("/") ? target : folder + target));
    if (found == null) {
      found = byPath.get(normal(target));
    }
    if (found == null && link.wiki()) {
      Map<String, Note> named =
          byName.getOrDefault(target.substring(target.lastIndexOf('/') + 1), Map.of());
      found = named.getOrDefault(folder, named.get("*"));
    }
    return Optional.ofNullable(found);
  }

  /**
   * Returns the section with that heading or GitHub anchor, or the first section if there is none.
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

  /** Returns a path without {@code .} and {@code ..}; {@code ..} for a path out of the folder. */
  private static String normal(String path) {
    Deque<String> parts = new ArrayDeque<>();
    for (String part : path.split("/")) {
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
    return lower(path.substring(0, path.lastIndexOf('/') + 1));
  }

  private static String withoutEnding(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return lower(NoteFiles.isNote(name) ? path.substring(0, path.lastIndexOf('.')) : path);
  }

  private static String lower(String text) {
    return NormalForm.composed(text.toLowerCase(Locale.ROOT));
  }
}
