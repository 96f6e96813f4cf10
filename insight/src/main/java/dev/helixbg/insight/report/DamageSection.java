package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What of the log could not be read.
 *
 * @param more how many places are not listed; or nothing
 */
record DamageSection(
    String id, String title, String intro, List<DamageView> places, Optional<String> more) {
  private static final int LISTED = 20;

  /** A stretch of the log, or a file, that could not be read, or only with a repair. */
  record DamageView(String where, String what, String loss, Optional<String> detail) {

    static DamageView of(LogAccount.Damage damage) {
      return new DamageView(
          "offset " + NumberWords.count(damage.offset()),
          what(damage.kind()),
          damage.unreadable() == 0
              ? "nothing lost"
              : NumberWords.count(damage.unreadable(), "byte", "bytes") + " unreadable",
          Optional.of(PrintableText.excerpt(damage.detail(), 300))
              .filter(detail -> !detail.isBlank()));
    }

    /**
     * @param loss what became of the file
     */
    static DamageView of(LeftOut.File file, String loss) {
      return new DamageView(PrintableText.line(file.path()), file.why(), loss, Optional.empty());
    }

    private static String what(LogAccount.Kind kind) {
      return switch (kind) {
        case TORN_TAIL -> "unfinished record at the end";
        case TORN_RECORD -> "record that was never finished";
        case WRAPPED_TOPIC -> "topic longer than 255 bytes";
        case UNKNOWN_TYPE -> "unknown record type";
        case INVALID_UTF8 -> "bytes that are not UTF-8";
        case OVERSIZED -> "entry too long to be one";
      };
    }
  }

  /** What of the notes was left out, or read in part. */
  static DamageSection of(NotesAccount notes) {
    int left = notes.leftOut().total();
    int repaired = notes.repaired().total();
    List<DamageView> all =
        Stream.concat(
                notes.leftOut().files().stream().map(one -> DamageView.of(one, "left out")),
                notes.repaired().files().stream().map(one -> DamageView.of(one, "read in part")))
            .toList();
    return new DamageSection(
        "notes-left-out",
        left == 0 ? "Some notes could be read in part only" : "Some notes were not read",
        NumberWords.count(notes.files(), "file was", "files were")
            + " read, "
            + NumberWords.count(left, "was", "were")
            + " left out"
            + (repaired == 0
                ? "."
                : ", and of " + NumberWords.count(repaired) + " not every byte or line was read."),
        all.stream().limit(LISTED).toList(),
        Optional.of(left + repaired - LISTED)
            .filter(more -> more > 0)
            .map(more -> "And " + NumberWords.count(more) + " more; report.json names the first."));
  }

  static DamageSection of(LogAccount log) {
    long unreadable = log.damage().stream().mapToLong(LogAccount.Damage::unreadable).sum();
    int places = log.damage().size();
    return new DamageSection(
        "damage",
        unreadable == 0
            ? "Parts of data.log needed a repair"
            : "Parts of data.log could not be read",
        NumberWords.count(unreadable, "byte", "bytes")
            + " of "
            + NumberWords.count(log.bytes())
            + " could not be read, in "
            + NumberWords.count(places, "place", "places")
            + ". Everything else was, and is in this report.",
        log.damage().stream().limit(LISTED).map(DamageView::of).toList(),
        Optional.of(places - LISTED)
            .filter(more -> more > 0)
            .map(more -> "And " + NumberWords.count(more) + " more places, all in report.json."));
  }
}
