package dev.helixbg.insight.notes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Account of the files of a folder of notes.
 *
 * @param files that were read
 * @param entries that they made
 * @param empty files without a text, which make none
 * @param leftOut files that were not read
 * @param repaired files that were read, but not every byte or line of them
 * @param memory files in which agents keep what they learn, and others that were named
 */
public record NotesAccount(
    int files, int entries, int empty, LeftOut leftOut, LeftOut repaired, List<MemoryFile> memory) {

  /** Returns what a user should know, in a sentence; empty when all was read as it is. */
  public Optional<String> words() {
    List<String> said = new ArrayList<>();
    say(said, leftOut, "was left out", "were left out");
    say(said, repaired, "was read in part", "were read in part");
    return said.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", said));
  }

  private static void say(List<String> said, LeftOut some, String one, String many) {
    if (some.total() > 0) {
      LeftOut.File first = some.files().getFirst();
      said.add(
          "%,d %s, %s %s (%s)"
              .formatted(
                  some.total(),
                  some.total() == 1 ? "file " + one : "files " + many,
                  some.total() == 1 ? "it is" : "the first is",
                  first.path(),
                  first.why()));
    }
  }

  /**
   * Files of a folder of notes that are not read, or not as they are: the first of them by path,
   * and how many there are.
   *
   * @param files the first {@value #NAMED}
   * @param total how many there are, named or not
   */
  public record LeftOut(List<File> files, int total) {
    /** More would fill a report, and no one reads them. */
    static final int NAMED = 100;

    public static final LeftOut NONE = new LeftOut(List.of(), 0);

    public LeftOut {
      files = List.copyOf(files);
    }

    /**
     * @param path from the folder, {@code /} between its parts
     * @param why in a few words
     */
    public record File(String path, String why) {}

    static LeftOut of(List<File> all) {
      return new LeftOut(all.subList(0, Math.min(NAMED, all.size())), all.size());
    }
  }
}
