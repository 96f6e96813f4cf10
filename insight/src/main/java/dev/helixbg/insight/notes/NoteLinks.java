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
 * Where links lead: by path from the note, from the folder, or, of wiki links, by name or alias, in
 * any case and Unicode form. Of several notes with a name the one in the same folder is meant, else
 * the one with the shortest path, else the first.
 */
final class NoteLinks {
  private final Map<String, Note> byPath = new HashMap<>();
  private final Map<String, Map<String, Note>> byName = new HashMap<>();

  /** Sections by heading and by anchor, of the notes that links with a heading lead to. */
  private final Map<Note, Map<String, NoteName>> byHeading = new IdentityHashMap<>();

  /**
   * @param notes by path
   */
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

  /**
   * The section that a link of a note leads to.
   *
   * @return its place; empty if it does not exist
   */
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

  /** The one with that heading, else the first; by what GitHub makes of headings, too. */
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

  /** Without {@code .} and {@code ..}; what leads out of the folder leads nowhere. */
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

  /** With its slash; empty for the folder of the notes itself. */
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
