package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A list of damaged places in the log, or a list of files. Each place or file has a remark. The
 * remark tells how the place is damaged or why the file was not fully read. For a file that agents
 * load, it tells the size of the file.
 *
 * @param more number of places that are not listed, as text; else empty
 */
record PlacesSection(
    String id, String title, String intro, List<PlaceView> places, Optional<String> more) {
  private static final int LISTED = 20;

  /**
   * A stretch of the log, or a file.
   *
   * @param over text that says by how much a file exceeds its agent's limit; empty if the file is
   *     within the limit
   */
  record PlaceView(String where, String what, Optional<String> over) {

    private static PlaceView of(LogAccount.Damage damage) {
      return new PlaceView(
          "offset " + NumberWords.count(damage.offset()),
          PrintableText.excerpt(damage.detail(), 300)
              + (damage.unreadable() == 0
                  ? ", nothing lost"
                  : ", " + NumberWords.count(damage.unreadable(), "byte", "bytes") + " unreadable"),
          Optional.empty());
    }

    private static PlaceView of(LeftOut.File file, String become) {
      return new PlaceView(
          PrintableText.line(file.path()), file.why() + ", " + become, Optional.empty());
    }

    static PlaceView of(MemoryFile file, Map<String, Integer> goes) {
      int less = goes.getOrDefault(file.path(), 0);
      return new PlaceView(
          PrintableText.line(file.path()),
          "%s (%s), %s%s"
              .formatted(
                  NumberWords.count(file.entries(), "entry", "entries"),
                  file.cut(),
                  load(file.characters(), file.tokens()),
                  less == 0
                      ? ""
                      : "; about "
                          + NumberWords.count(less, "token", "tokens")
                          + " would be saved"),
          file.overBound());
    }
  }

  static PlacesSection of(NotesAccount notes) {
    int left = notes.leftOut().total();
    int repaired = notes.repaired().total();
    List<PlaceView> all =
        Stream.concat(
                notes.leftOut().files().stream().map(one -> PlaceView.of(one, "left out")),
                notes.repaired().files().stream().map(one -> PlaceView.of(one, "read in part")))
            .toList();
    return new PlacesSection(
        "notes-left-out",
        left == 0 ? "Some notes could be read only in part" : "Some notes were not read",
        NumberWords.count(notes.files(), "file was", "files were")
            + " read, "
            + NumberWords.count(left, "was", "were")
            + " left out"
            + (repaired == 0
                ? "."
                : ", and "
                    + NumberWords.count(repaired, "file was", "files were")
                    + " read only in part."),
        all.stream().limit(LISTED).toList(),
        more(left + repaired, "; report.json names the first."));
  }

  /**
   * @param goes number of tokens that each file would lose, see {@link Report#savings}
   */
  static PlacesSection ofMemory(List<MemoryFile> files, Map<String, Integer> goes) {
    int characters = files.stream().mapToInt(MemoryFile::characters).sum();
    int tokens = files.stream().mapToInt(MemoryFile::tokens).sum();
    int less = goes.values().stream().mapToInt(Integer::intValue).sum();
    return new PlacesSection(
        "memory",
        "What agents load",
        NumberWords.count(files.size(), "memory file", "memory files")
            + " of "
            + load(characters, tokens)
            + ", at about four characters per token. The leading findings would save about "
            + NumberWords.count(less, "token", "tokens")
            + ".",
        files.stream().limit(LISTED).map(file -> PlaceView.of(file, goes)).toList(),
        more(files.size(), "; report.json has all."));
  }

  private static String load(int characters, int tokens) {
    return NumberWords.count(characters, "character", "characters")
        + ", about "
        + NumberWords.count(tokens, "token", "tokens");
  }

  static PlacesSection of(LogAccount log) {
    long unreadable = log.damage().stream().mapToLong(LogAccount.Damage::unreadable).sum();
    int places = log.damage().size();
    return new PlacesSection(
        "damage",
        unreadable == 0
            ? "Parts of data.log needed a repair"
            : "Parts of data.log could not be read",
        NumberWords.count(unreadable, "byte", "bytes")
            + " of "
            + NumberWords.count(log.bytes())
            + " could not be read, in "
            + NumberWords.count(places, "place", "places")
            + ". Everything else was read, and is in this report.",
        log.damage().stream().limit(LISTED).map(PlaceView::of).toList(),
        more(places, " places, all in report.json."));
  }

  private static Optional<String> more(int total, String where) {
    return NumberWords.more(total, LISTED).map(words -> "A" + words.substring(1) + where);
  }
}
