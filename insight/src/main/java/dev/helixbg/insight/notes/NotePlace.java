package dev.helixbg.insight.notes;

import dev.helixbg.insight.log.Entry;
import java.util.Locale;

/**
 * Where a note is: the file, and in a long file the heading.
 *
 * @param file path from the folder of the notes
 * @param heading with those above it, {@code #} between them; empty for a whole file
 */
public record NotePlace(String file, String heading) {
  /** The topic of files in the folder of the notes itself. */
  static final String TOP = "./";

  /**
   * @param name of an entry that was made of a note
   */
  public static NotePlace of(String name) {
    for (int hash = name.indexOf('#'); hash >= 0; hash = name.indexOf('#', hash + 1)) {
      if (NoteFiles.isNote(name.substring(0, hash).toLowerCase(Locale.ROOT))) {
        return new NotePlace(name.substring(0, hash), name.substring(hash + 1));
      }
    }
    return new NotePlace(name, "");
  }

  /** Whether two entries are sections of one file, which need no link. */
  public static boolean areInOneFile(Entry a, Entry b) {
    return a.topic().equals(b.topic())
        && a.note().isPresent()
        && b.note().isPresent()
        && of(a.note().get()).file().equals(of(b.note().get()).file());
  }

  /** Whether a topic is a folder of notes that lies in another one; no topic of helix is. */
  public static boolean isWithin(String topic, String other) {
    return topic.endsWith("/")
        && other.endsWith("/")
        && (other.equals(TOP) || topic.startsWith(other));
  }

  public String words() {
    return heading.isEmpty() ? file : "the section “" + heading + "” of " + file;
  }

  /** Its folder with a slash; {@code ./} for the folder of the notes itself. */
  public String folder() {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? TOP : file.substring(0, slash + 1);
  }

  /** As Obsidian links to it. */
  public String wikiLink() {
    String path = file.substring(0, file.lastIndexOf('.'));
    return "[[" + path + (heading.isEmpty() ? "" : "#" + heading) + "]]";
  }

  /** As Markdown links to its file from another one. */
  public String linkFrom(NotePlace other) {
    String[] mine = file.split("/");
    String[] its = other.file().split("/");
    int shared = 0;
    while (shared < Math.min(mine.length, its.length) - 1 && mine[shared].equals(its[shared])) {
      shared++;
    }
    StringBuilder path = new StringBuilder("../".repeat(its.length - 1 - shared));
    for (int i = shared; i < mine.length; i++) {
      path.append(mine[i]).append(i < mine.length - 1 ? "/" : "");
    }
    String name = mine[mine.length - 1];
    String title = name.substring(0, name.lastIndexOf('.'));
    return "[" + title + "](" + path.toString().replace(" ", "%20") + ")";
  }
}
