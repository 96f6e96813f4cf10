package dev.helixbg.insight.notes;

import java.util.List;

/**
 * Files of a folder of notes that are not read, or not as they are: the first of them by path, and
 * how many there are.
 *
 * @param files the first {@value #NAMED}
 * @param total how many there are, named or not
 */
public record NotesLeftOut(List<File> files, int total) {
  /** More would fill a report, and no one reads them. */
  static final int NAMED = 100;

  public static final NotesLeftOut NONE = new NotesLeftOut(List.of(), 0);

  public NotesLeftOut {
    files = List.copyOf(files);
  }

  /**
   * @param path from the folder, {@code /} between its parts
   * @param why in a few words
   */
  public record File(String path, String why) {}

  static NotesLeftOut of(List<File> all) {
    return new NotesLeftOut(all.subList(0, Math.min(NAMED, all.size())), all.size());
  }
}
