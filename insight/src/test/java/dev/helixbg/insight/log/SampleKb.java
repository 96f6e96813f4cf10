package dev.helixbg.insight.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
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
  private static final int TIME_LENGTH = "2026-03-14 09:30".length();

  /** An entry of the Markdown source. */
  private record Note(String topic, int minutes, boolean edited, String body) {}

  private final List<Note> notes = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();
  private String topic;
  private String heading; // the text after "- " of the current entry
  private int headingLine;

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
    try {
      Files.write(Path.of(args[1]), build(Files.readString(Path.of(args[0]))));
    } catch (IllegalArgumentException e) {
      System.err.println(args[0] + ": " + e.getMessage());
      System.exit(1);
    }
  }

  /**
   * Converts a Markdown source to the bytes of a data.log.
   *
   * @throws IllegalArgumentException when a line cannot be parsed; the message names the line
   */
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
    String[] lines = source.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      parseLine(lines[i], i + 1);
    }
    closeEntry();
    return notes;
  }

  private void parseLine(String line, int number) {
    if (line.endsWith("\r")) {
      throw error(number, "ends with a carriage return; save the file with \\n line ends");
    }
    if (line.startsWith("## ")) {
      closeEntry();
      topic = topicOf(line.substring(3).strip(), number);
    } else if (topic == null) {
      return; // title and prose before the first topic
    } else if (line.startsWith("- ")) {
      closeEntry();
      heading = line.substring(2).stripTrailing();
      headingLine = number;
    } else if (line.isBlank()) {
      body.append('\n');
    } else if (line.startsWith("  ") && heading != null) {
      body.append(line, 2, line.length()).append('\n');
    } else {
      throw error(
          number,
          "is neither \"## topic\", nor \"- time\", nor a body line indented by two blanks");
    }
  }

  private static String topicOf(String name, int number) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > 255) {
      throw error(number, "has a topic of " + bytes + " bytes; 1 to 255 are possible");
    }
    return name;
  }

  private void closeEntry() {
    String text = body.toString().replaceAll("^\n+|\n+\\z", "");
    body.setLength(0);
    if (heading == null) {
      return;
    }
    if (text.isEmpty()) {
      throw error(headingLine, "opens an entry without a body");
    }
    boolean edited = heading.endsWith(EDITED);
    String time = edited ? heading.substring(0, heading.length() - EDITED.length()) : heading;
    notes.add(new Note(topic, minutesOf(time, headingLine), edited, text));
    heading = null;
  }

  private static int minutesOf(String time, int number) {
    try {
      if (time.length() == TIME_LENGTH) {
        return (int) (LocalDateTime.parse(time, TIME).toEpochSecond(ZoneOffset.UTC) / 60);
      }
    } catch (DateTimeException e) {
      // the same error as for any other text
    }
    throw error(number, "has no time of the form 2026-03-14 09:30 after \"- \": " + time);
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

  private static IllegalArgumentException error(int line, String message) {
    return new IllegalArgumentException("line " + line + " " + message);
  }
}
