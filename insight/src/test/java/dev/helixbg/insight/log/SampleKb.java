package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Converts notes in Markdown to a data.log, as helix would have written it while a developer
 * worked.
 *
 * <pre>
 * # Any title, and prose: ignored up to the first topic
 *
 * ## topic-name
 *
 * - 2026-03-14 09:30
 *   [tags: gotcha]
 *   The body, indented by two blanks; the indentation is removed.
 *
 *   Blank lines inside a body stay.
 * - 2026-03-15 10:00 (edited)
 *   The log gets a shorter form of this entry first, then this form, then a delete of the first.
 * </pre>
 *
 * Times are local wall-clock minutes. Records are written in the order of their times, and those of
 * the same minute in the order of the file, so that topics interleave as in a real KB. The shorter
 * form of an edited entry ends with the first sentence; if the entry has only one sentence, it is
 * the first half of the words. A line {@code [modified: …]}, which helix writes after an edit, is
 * only in the log if it is in the source.
 */
public final class SampleKb {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withResolverStyle(ResolverStyle.STRICT);
  private static final String EDITED = " (edited)";

  /** An entry of the Markdown source. */
  private record Note(String topic, int minutes, boolean edited, String body) {}

  private final List<Note> notes = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();
  private String topic;
  private String heading; // the text after "- " of the current entry

  private SampleKb() {}

  /**
   * Converts a Markdown source to a data.log.
   *
   * @param args paths of the source and of the data.log
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: SampleKb notes.md data.log");
      System.exit(2);
    }
    Files.write(Path.of(args[1]), build(Files.readString(Path.of(args[0]))));
  }

  /** Converts a Markdown source to the bytes of a data.log. */
  public static byte[] build(String source) {
    List<Note> notes = new SampleKb().parse(source);
    notes.sort(Comparator.comparingInt(Note::minutes));
    DataLogBytes log = new DataLogBytes();
    for (Note note : notes) {
      if (note.edited()) {
        int first = log.entry(note.topic(), shorter(note.body()), note.minutes());
        log.entry(note.topic(), note.body(), note.minutes());
        log.delete(first);
      } else {
        log.entry(note.topic(), note.body(), note.minutes());
      }
    }
    return log.toByteArray();
  }

  private List<Note> parse(String source) {
    for (String line : source.split("\n", -1)) {
      parseLine(line);
    }
    closeEntry();
    return notes;
  }

  private void parseLine(String line) {
    if (line.startsWith("## ")) {
      closeEntry();
      topic = line.substring(3).strip();
    } else if (topic == null) {
      return; // title and prose before the first topic
    } else if (line.startsWith("- ")) {
      closeEntry();
      heading = line.substring(2).stripTrailing();
    } else if (line.isBlank()) {
      body.append('\n');
    } else if (line.startsWith("  ") && heading != null) {
      body.append(line, 2, line.length()).append('\n');
    } else {
      throw new IllegalArgumentException("neither a topic, a time nor an indented line: " + line);
    }
  }

  private void closeEntry() {
    String text = body.toString().replaceAll("^\n+|\n+\\z", "");
    body.setLength(0);
    if (heading == null) {
      return;
    }
    boolean edited = heading.endsWith(EDITED);
    String time = edited ? heading.substring(0, heading.length() - EDITED.length()) : heading;
    notes.add(new Note(topic, minutesOf(time), edited, text));
    heading = null;
  }

  private static int minutesOf(String time) {
    return (int) (LocalDateTime.parse(time, TIME).toEpochSecond(ZoneOffset.UTC) / 60);
  }

  /** Returns a shorter body, which the entry could have had before it was edited. */
  private static String shorter(String text) {
    String content = EntryText.parse(text).content().strip();
    int sentence = content.indexOf(". ");
    if (sentence > 0) {
      return content.substring(0, sentence + 1);
    }
    String[] words = content.split(" ");
    return String.join(" ", Arrays.copyOf(words, (words.length + 1) / 2));
  }
}
