package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.LeftOut;
import java.util.Optional;

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
