package dev.helixbg.insight.notes;

import dev.helixbg.insight.log.Entry;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a note is: the file, and in a long file the heading.
 *
 * @param file path from the folder of the notes
 * @param heading with those above it, {@code #} between them; empty where it is under none
 * @param part which part of the file or of what is under the heading, where others have headings of
 *     their own: {@code before its first heading}; empty for the whole
 */
public record NoteName(String file, String heading, String part) {
  /** The topic of files in the folder of the notes itself. */
  static final String TOP = "./";

  /** What is said of a part that headings follow, in brackets at the end of its name. */
  static final String BEFORE_FIRST = "before its first heading";

  /** Before the level, where other headings come before: a title, or lower ones. */
  static final String OF_LEVEL = " of level ";

  private static final Pattern PART =
      Pattern.compile("(.*) \\((" + BEFORE_FIRST + "(?:" + OF_LEVEL + "[1-6])?)\\)");

  /**
   * @param name of an entry that was made of a note
   */
  public static NoteName of(String name) {
    Matcher divided = PART.matcher(name);
    String part = divided.matches() ? divided.group(2) : "";
    String whole = part.isEmpty() ? name : divided.group(1);
    for (int hash = whole.indexOf('#'); hash >= 0; hash = whole.indexOf('#', hash + 1)) {
      if (NoteFiles.isNote(whole.substring(0, hash).toLowerCase(Locale.ROOT))) {
        return new NoteName(whole.substring(0, hash), whole.substring(hash + 1), part);
      }
    }
    return new NoteName(whole, "", part);
  }

  /** The words at the end of its name that tell the part; none for the whole. */
  public String partInName() {
    return part.isEmpty() ? "" : " (" + part + ")";
  }

  public boolean isWholeFile() {
    return heading.isEmpty() && part.isEmpty();
  }

  /** Whether two entries are sections of one file, which need no link. */
  public static boolean areInOneFile(Entry a, Entry b) {
    return a.topic().equals(b.topic())
        && a.note().isPresent()
        && b.note().isPresent()
        && of(a.note().get()).file().equals(of(b.note().get()).file());
  }

  /** Whether a topic is a folder of notes; none of helix is. */
  public static boolean isFolder(String topic) {
    return topic.endsWith("/");
  }

  /** Whether a topic is a folder of notes that lies in another one; no topic of helix is. */
  public static boolean isWithin(String topic, String other) {
    return topic.endsWith("/")
        && other.endsWith("/")
        && (other.equals(TOP) || topic.startsWith(other));
  }

  public String words() {
    String where = heading.isEmpty() ? file : "the section “" + heading + "” of " + file;
    return part.isEmpty() ? where : "the beginning of " + where + partInName();
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
  public String linkFrom(NoteName other) {
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
