package dev.helixbg.insight.log;

import dev.helixbg.config.text.PrintableText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A parsed body: its text and its metadata.
 *
 * <p>Lines end at {@code \n} only. A metadata line can be anywhere in the body, and has exactly the
 * form {@code [kind: value]}. The kind is {@code tags}, {@code source}, {@code confidence}, {@code
 * links} or {@code modified}. Any other line is text, such as a line with another kind, with a
 * blank before the bracket, or with a {@code \r} after it. The content consists of all text lines,
 * including blank lines, unchanged and in order, joined by {@code \n}.
 *
 * <p>Only the last valid line of each kind is used. Other lines of the kind have no effect, but are
 * not part of the content either. A line is valid when its value, without blanks around it, is
 *
 * <ul>
 *   <li>tags: at least one tag between commas; empty tags are skipped
 *   <li>source: any text; helix writes {@code file:line}, users also write a file alone
 *   <li>confidence: a decimal number from 0 to 1
 *   <li>links: at least one {@code topic:index}, with blanks between several. The index is a
 *       decimal number after the last colon. Items of another form are skipped
 *   <li>modified: any value; it is ignored
 * </ul>
 *
 * @param content the body without metadata lines
 * @param tags the tags, in the order of the body
 * @param source the origin of the entry, as written; mostly {@code file:line}
 * @param confidence how sure the writer is, from 0 to 1
 * @param links references to other entries, in the order of the body
 * @param heading headings above a part of a note, with {@code #} between the levels, or empty
 * @param part name of the part of a note, if several parts have the same heading; else empty
 * @param paths patterns of the files for which agents load the note; empty for all files
 * @param position position of a fact in a file of facts; else empty
 */
public record EntryText(
    String content,
    List<String> tags,
    Optional<String> source,
    OptionalDouble confidence,
    List<Link> links,
    Optional<String> heading,
    Optional<String> part,
    Optional<String> paths,
    Optional<Position> position) {

  /**
   * The line number of a fact, counted from 1, and, if known, whether the list of facts begins with
   * the newest fact.
   */
  public record Position(int line, Optional<Boolean> newestFirst) {
    private static final String FIRST = ", newest first";
    private static final String LAST = ", newest last";

    /** Returns the position as text, for example {@code 12, newest first} for line 12. */
    public String text() {
      return line + newestFirst.map(first -> first ? FIRST : LAST).orElse("");
    }

    static Optional<Position> of(String text) {
      Optional<Boolean> newestFirst =
          text.contains(",") ? Optional.of(text.endsWith(FIRST)) : Optional.empty();
      try {
        return Optional.of(new Position(Integer.parseInt(text.split(",", 2)[0]), newestFirst));
      } catch (NumberFormatException e) {
        return Optional.empty();
      }
    }
  }

  private static final Pattern BLANKS = Pattern.compile("(?U)\\s+");

  /** A reference {@code topic:index}; the index counts the live entries of the topic from 0. */
  public record Link(String topic, int index) {}

  private static final int TITLE = 100;

  /** Returns the beginning of the first line that is not blank; empty if all lines are blank. */
  public String title() {
    return content
        .lines()
        .filter(line -> !line.isBlank())
        .findFirst()
        .map(line -> PrintableText.beginning(line.strip(), TITLE))
        .orElse("");
  }

  /** Parses a body; any text is a valid body. */
  public static EntryText parse(String body) {
    return new Parser(false).parse(body);
  }

  /**
   * Parses the body of a note. In notes, lines of the kinds {@code heading}, {@code part}, {@code
   * paths} and {@code line} are metadata, too.
   */
  public static EntryText ofNote(String body) {
    return new Parser(true).parse(body);
  }

  /**
   * Parses a body, and keeps the last valid value of each kind of metadata. Lines are parsed
   * without regular expressions, which are slow just after the JVM's start.
   */
  private static final class Parser {
    /** Kinds that are metadata only in notes. */
    private static final List<String> OF_NOTES = List.of("heading", "part", "paths", "line");

    private List<String> tags = List.of();
    private Optional<String> source = Optional.empty();
    private OptionalDouble confidence = OptionalDouble.empty();
    private List<Link> links = List.of();
    private Optional<String> heading = Optional.empty();
    private Optional<String> part = Optional.empty();
    private Optional<String> paths = Optional.empty();
    private Optional<Position> position = Optional.empty();
    private final boolean ofNote;

    Parser(boolean ofNote) {
      this.ofNote = ofNote;
    }

    EntryText parse(String body) {
      return new EntryText(
          contentOf(body), tags, source, confidence, links, heading, part, paths, position);
    }

    /** Reads the metadata lines and returns the rest. */
    private String contentOf(String body) {
      if (body.indexOf('[') < 0) {
        return body;
      }
      StringJoiner content = new StringJoiner("\n");
      for (String line : body.split("\n", -1)) {
        if (!isMetadata(line)) {
          content.add(line);
        }
      }
      return content.length() == body.length() ? body : content.toString();
    }

    private boolean isMetadata(String line) {
      int colon = line.startsWith("[") && line.endsWith("]") ? line.indexOf(": ") : -1;
      if (colon < 0) {
        return false;
      }
      String value = line.substring(colon + 2, line.length() - 1).strip();
      String kind = line.substring(1, colon);
      if (!ofNote && OF_NOTES.contains(kind)) {
        return false;
      }
      switch (kind) {
        case "tags" -> readTags(value);
        case "source" -> source = value.isEmpty() ? source : Optional.of(value);
        case "confidence" -> readConfidence(value);
        case "links" -> readLinks(value);
        case "modified" -> {}
        case "heading" -> heading = value.isEmpty() ? heading : Optional.of(value);
        case "part" -> part = value.isEmpty() ? part : Optional.of(value);
        case "paths" -> paths = value.isEmpty() ? paths : Optional.of(value);
        case "line" -> position = Position.of(value);
        default -> {
          return false;
        }
      }
      return true;
    }

    private void readTags(String value) {
      List<String> found =
          Stream.of(value.split(",")).map(String::strip).filter(tag -> !tag.isEmpty()).toList();
      tags = found.isEmpty() ? tags : found;
    }

    private void readConfidence(String value) {
      if (value.chars().anyMatch(c -> "0123456789.eE+-".indexOf(c) < 0)) {
        return; // parseDouble would also accept hexadecimal, a suffix, NaN
      }
      try {
        double number = Double.parseDouble(value);
        if (number >= 0 && number <= 1) {
          confidence = OptionalDouble.of(number + 0.0); // -0 becomes 0
        }
      } catch (NumberFormatException e) {
        // not a number: the line is ignored
      }
    }

    private void readLinks(String value) {
      List<Link> found = new ArrayList<>();
      for (String item : BLANKS.split(value)) {
        int colon = item.lastIndexOf(':');
        String index = item.substring(colon + 1);
        if (colon > 0 && index.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
          try {
            found.add(new Link(item.substring(0, colon), Integer.parseInt(index)));
          } catch (NumberFormatException e) {
            // not a number, or too large: the item is ignored
          }
        }
      }
      links = found.isEmpty() ? links : List.copyOf(found);
    }
  }
}
