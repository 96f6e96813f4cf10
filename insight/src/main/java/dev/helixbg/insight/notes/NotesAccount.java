package dev.helixbg.insight.notes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of reading a folder of notes: numbers of files and entries, and lists of special files.
 *
 * @param files the number of files that were read, with or without text
 * @param entries the number of entries that were made from the files
 * @param empty the number of files without text, from which no entry was made
 * @param repaired files that were read only in part
 * @param memory files in which agents keep what they learn, and other files that the user named
 */
public record NotesAccount(
    int files, int entries, int empty, LeftOut leftOut, LeftOut repaired, List<MemoryFile> memory) {

  /** Returns a sentence on files left out or read only in part; empty if there are none. */
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

  /** Files not read completely: up to {@link #NAMED} of them, and the number of all of them. */
  public record LeftOut(List<File> files, int total) {
    /** Maximum number of files that are named. A longer list would fill the report. */
    static final int NAMED = 100;

    public static final LeftOut NONE = new LeftOut(List.of(), 0);

    /** The path of a file, as in {@link NoteFiles.File}, and why it was not read completely. */
    public record File(String path, String why) {}

    static LeftOut of(List<File> all) {
      return new LeftOut(all.stream().limit(NAMED).toList(), all.size());
    }
  }
}
