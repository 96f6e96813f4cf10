package dev.helixbg.insight.notes;

import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a note was written, in the minutes of a data.log: what its front matter says, of a change
 * rather than of its making; else a date that its name begins with, as daily notes have it; else
 * when its file changed. In a Git work tree files are as old as the check-out, so there nobody
 * knows.
 */
final class NoteTime {
  private static final Pattern DATE =
      Pattern.compile("(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?:[T ]+(\\d{1,2}):(\\d{2}))?.*");

  /** As the names of daily notes and of a Zettelkasten have it: 20260131, or 202601311530. */
  private static final Pattern DIGITS =
      Pattern.compile("(\\d{4})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(?:\\d{2})?)?(?:\\D.*)?");

  private static final String[] KEYS = {
    "updated",
    "modified",
    "lastmod",
    "last_modified_at",
    "last_modified",
    "date modified",
    "date updated",
    "date",
    "created",
    "created_at",
    "date created",
    "creation_date",
    "published"
  };

  private static final int FIRST_YEAR = 2000;
  private static final int LAST_YEAR = 2099;

  private NoteTime() {}

  /** What the note itself says, if it does. */
  static OptionalInt said(Note note) {
    for (String key : KEYS) {
      OptionalInt minutes = minutes(note.matter().first(key).orElse(""));
      if (minutes.isPresent()) {
        return minutes;
      }
    }
    return minutes(note.path().substring(note.path().lastIndexOf('/') + 1));
  }

  /** By the clock of this machine's place; 0 for a time that no log can have. */
  static int of(FileTime modified) {
    return minutes(LocalDateTime.ofInstant(modified.toInstant(), ZoneId.systemDefault()));
  }

  private static OptionalInt minutes(String text) {
    Matcher date = DATE.matcher(text);
    if (!date.matches() && !date.usePattern(DIGITS).matches()) {
      return OptionalInt.empty();
    }
    try {
      int minutes =
          minutes(
              LocalDateTime.of(
                  Integer.parseInt(date.group(1)),
                  Integer.parseInt(date.group(2)),
                  Integer.parseInt(date.group(3)),
                  date.group(4) == null ? 0 : Integer.parseInt(date.group(4)),
                  date.group(5) == null ? 0 : Integer.parseInt(date.group(5))));
      return minutes == 0 ? OptionalInt.empty() : OptionalInt.of(minutes);
    } catch (DateTimeException e) {
      return OptionalInt.empty();
    }
  }

  private static int minutes(LocalDateTime time) {
    boolean fits = time.getYear() >= FIRST_YEAR && time.getYear() <= LAST_YEAR;
    return fits ? (int) (time.toEpochSecond(ZoneOffset.UTC) / 60) : 0;
  }
}
