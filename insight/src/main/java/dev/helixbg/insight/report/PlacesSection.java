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

/** Lists damaged places in the log, files that were not fully read, or files that agents load. */
record PlacesSection(
    String id, String title, String intro, List<PlaceView> places, Optional<String> more) {
  private static final int LISTED = 20;

  /** A place in the log, or a file; {@code over} tells how far the file is over a size limit. */
  record PlaceView(String where, String what, Optional<String> over) {

    private static PlaceView of(LogAccount.Damage damage) {
      String lost =
          damage.unreadable() == 0
              ? ", nothing lost"
              : ", " + NumberWords.count(damage.unreadable(), "byte", "bytes") + " unreadable";
      return new PlaceView(
          "offset " + NumberWords.count(damage.offset()),
          PrintableText.excerpt(damage.detail(), 300) + lost,
          Optional.empty());
    }

    private static PlaceView of(LeftOut.File file, String become) {
      return new PlaceView(
          PrintableText.line(file.path()), file.why() + ", " + become, Optional.empty());
    }

    static PlaceView of(MemoryFile file, Map<String, Integer> goes) {
      int less = goes.getOrDefault(file.path(), 0);
      String entries = NumberWords.count(file.entries(), "entry", "entries");
      String saved = "; about " + NumberWords.count(less, "token", "tokens") + " would be saved";
      String load = load(file.characters(), file.tokens());
      return new PlaceView(
          PrintableText.line(file.path()),
          "%s (%s), %s%s".formatted(entries, file.cut(), load, less == 0 ? "" : saved),
          file.overBound());
    }
  }

  static PlacesSection of(NotesAccount notes) {
    int left = notes.leftOut().total();
    int repaired = notes.repaired().total();
    String partly = NumberWords.count(repaired, "file was", "files were");
    List<PlaceView> all =
        Stream.concat(
                notes.leftOut().files().stream().map(one -> PlaceView.of(one, "left out")),
                notes.repaired().files().stream().map(one -> PlaceView.of(one, "read in part")))
            .toList();
    return new PlacesSection(
        "notes-left-out",
        left == 0 ? "Some notes could be read only in part" : "Some notes were not read",
        "%s read, %s left out%s."
            .formatted(
                NumberWords.count(notes.files(), "file was", "files were"),
                NumberWords.count(left, "was", "were"),
                repaired == 0 ? "" : ", and " + partly + " read only in part"),
        all.stream().limit(LISTED).toList(),
        more(left + repaired, "; report.json lists more of these files."));
  }

  /** Returns the section on memory files; {@code goes} is the result of {@link Report#savings}. */
  static PlacesSection ofMemory(List<MemoryFile> files, Map<String, Integer> goes) {
    int characters = files.stream().mapToInt(MemoryFile::characters).sum();
    int tokens = files.stream().mapToInt(MemoryFile::tokens).sum();
    int less = goes.values().stream().mapToInt(Integer::intValue).sum();
    return new PlacesSection(
        "memory",
        "What agents load",
        ("%s with %s, at about four characters per token. The changes that the leading findings"
                + " propose would save about %s.")
            .formatted(
                NumberWords.count(files.size(), "memory file", "memory files"),
                load(characters, tokens),
                NumberWords.count(less, "token", "tokens")),
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
        "%s of %s could not be read, in %s. Everything else was read, and is in this report."
            .formatted(
                NumberWords.count(unreadable, "byte", "bytes"),
                NumberWords.count(log.bytes()),
                NumberWords.count(places, "place", "places")),
        log.damage().stream().limit(LISTED).map(PlaceView::of).toList(),
        more(places, " places, all in report.json."));
  }

  private static Optional<String> more(int total, String where) {
    return NumberWords.more(total, LISTED).map(words -> "A" + words.substring(1) + where);
  }
}
