package dev.helixbg.insight.notes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.SaidText;
import dev.helixbg.insight.notes.Note.Section;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A file of facts. This class computes changes that remove facts or replace their texts. A change
 * replaces whole lines; all other bytes stay as they are. Only files in UTF-8 can be changed.
 *
 * @param raw the text of the file, with its byte order mark if it has one
 * @param lines the lines of {@code raw} with their line ends, without the byte order mark
 * @param said the text in which {@link SaidText} has replaced embedded data
 */
public record FactFile(
    String path, Items.Given given, String raw, List<String> lines, String said, Note note) {
  private static final String MARK = "\uFEFF";
  private static final Pattern LINE = Pattern.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$");

  private static final Pattern LINE_END = Pattern.compile("[\r\n]+\\z");

  /**
   * A change of a text.
   *
   * @param at offset in the text, in UTF-16 units; a byte order mark counts as one unit
   * @param is the text that replaces {@code was}; empty if nothing replaces it
   */
  public record Span(int at, String was, String is) {
    /** Applies changes to a text. The changes must be sorted by their offsets. */
    public static String changed(String text, List<Span> spans) {
      StringBuilder changed = new StringBuilder(text);
      for (Span span : spans.reversed()) {
        changed.replace(span.at(), span.at() + span.was().length(), span.is());
      }
      return changed.toString();
    }
  }

  /** The lines from {@code from} to {@code to} (exclusive), and the text that replaces them. */
  private record Cut(int from, int to, String is) {}

  /**
   * Parses a file.
   *
   * @param named whether the user named the file itself, not only its folder
   * @return empty if the file is not in UTF-8, or if the lines of its decoded text do not
   *     correspond to the lines of the file
   */
  public static Optional<FactFile> of(String path, byte[] bytes, boolean named, NotesItems items) {
    String raw = NoteDecoder.utf8(bytes).orElse(null);
    if (raw == null) {
      return Optional.empty();
    }
    String lined = raw.substring(raw.startsWith(MARK) ? 1 : 0);
    List<String> lines = LINE.matcher(lined).results().map(MatchResult::group).toList();
    Items.Given given = new Items.Given(named, items);
    return NoteDecoder.text(bytes)
        .map(SaidText::of)
        .filter(said -> said.lines().count() == lines.size())
        .map(said -> new FactFile(path, given, raw, lines, said, Note.of(path, said, given)));
  }

  /**
   * Returns the changes, sorted by offset, that remove some facts and give others a new text. The
   * result is empty if the file lacks one of these facts, or if the changes would alter other facts
   * or remove embedded data.
   */
  public Optional<List<Span>> without(Collection<Entry> gone, Map<Entry, String> instead) {
    List<Cut> cuts = new ArrayList<>();
    List<Section> left = new ArrayList<>(note.facts());
    for (Entry entry : gone) {
      Optional<Section> section = sectionOf(entry);
      if (section.isEmpty() || !left.remove(section.get())) {
        return Optional.empty();
      }
      cuts.add(cut(section.get()));
    }
    List<String> texts = new ArrayList<>(left.stream().map(Section::text).toList());
    for (Map.Entry<Entry, String> one : instead.entrySet()) {
      Optional<Section> section = sectionOf(one.getKey());
      if (section.isEmpty() || !left.contains(section.get())) {
        return Optional.empty();
      }
      String text = one.getValue().strip();
      cuts.add(replaced(section.get(), text));
      texts.set(left.indexOf(section.get()), SaidText.of(bare(section.get(), text)));
    }
    List<Span> spans = spans(cuts);
    // The comparison ignores embedded data: two different keys or pictures would count as the same.
    return spans.stream().noneMatch(span -> SaidText.hasData(span.was()))
            && isAsMeant(Span.changed(raw, spans), left, texts, instead.isEmpty())
        ? Optional.of(spans)
        : Optional.empty();
  }

  private Optional<Section> sectionOf(Entry entry) {
    Optional<NoteName> place = NoteName.of(entry);
    return note.facts().stream()
        .filter(section -> place.filter(section.place()::equals).isPresent())
        .filter(
            section ->
                EntryText.ofNote(NotesLog.core(note, section))
                    .content()
                    .equals(entry.text().content()))
        .findFirst();
  }

  /** Whether a changed file has exactly the facts {@code left}, or no facts if {@code mayEnd}. */
  private boolean isAsMeant(
      String changed, List<Section> left, List<String> texts, boolean mayEnd) {
    List<List<String>> headings = left.stream().map(Section::headings).toList();
    return of(path, changed.getBytes(UTF_8), given.named(), given.items())
        .map(file -> file.note.facts())
        .filter(
            now ->
                mayEnd && now.isEmpty()
                    || now.stream().map(Section::text).toList().equals(texts)
                        && now.stream().map(Section::headings).toList().equals(headings))
        .isPresent();
  }

  /**
   * Returns a cut that removes the lines of a fact, one adjacent divider line (§), and the blank
   * lines around them that are no longer needed.
   */
  private Cut cut(Section section) {
    int from = firstLine(section.span().start());
    int to = lastLine(section.span().end()) + 1;
    int after = next(to, 1);
    int before = next(from - 1, -1);
    if (isDivider(after)) {
      to = after + 1;
    } else if (isDivider(before)) {
      from = before;
    }
    if (isBlank(from - 1)) {
      while (to < lines.size() && isBlank(to)) {
        to++;
      }
    }
    while (to == lines.size() && from > 0 && isBlank(from - 1)) {
      from--;
    }
    return new Cut(from, to, "");
  }

  private int firstLine(int place) {
    return next(lineOf(place), 1);
  }

  private int lastLine(int place) {
    return next(lineOf(Math.max(0, place - 1)), -1);
  }

  private int lineOf(int place) {
    return (int) said.substring(0, place).chars().filter(c -> c == '\n').count();
  }

  private int next(int line, int step) {
    int at = line;
    while (at >= 0 && at < lines.size() && isBlank(at)) {
      at += step;
    }
    return at;
  }

  /** Whether a line is blank. The position above the first line counts as blank. */
  private boolean isBlank(int line) {
    return line < 0 || lines.get(line).isBlank();
  }

  private boolean isDivider(int line) {
    return line >= 0 && line < lines.size() && lines.get(line).strip().equals(ItemScan.DIVIDER);
  }

  /** Returns the cut that replaces a fact's text but keeps its heading or list marker. */
  private Cut replaced(Section section, String text) {
    int from = firstLine(section.span().said());
    int to = lastLine(section.span().end()) + 1;
    Matcher marker = ItemScan.MARKER.matcher(lines.get(from).stripTrailing());
    boolean isDivided = IntStream.range(0, lines.size()).anyMatch(this::isDivider);
    boolean isListed = section.place().isItem() && !isDivided && marker.lookingAt();
    String first = isListed ? marker.group() : "";
    String indent = " ".repeat(first.length());
    Matcher end = LINE_END.matcher(lines.get(from));
    String lineEnd = end.find() ? end.group() : "\n";
    String last = lines.get(to - 1);
    List<String> said =
        new ArrayList<>(
            bare(section, text).lines().map(line -> line.isBlank() ? "" : indent + line).toList());
    said.set(0, first + said.getFirst().strip());
    return new Cut(
        from,
        to,
        String.join(lineEnd, said)
            + last.substring(LINE_END.matcher(last).replaceFirst("").length()));
  }

  /** Returns a text without its first line if that line repeats the section's heading. */
  private static String bare(Section section, String text) {
    String[] parts = text.split("\n", 2);
    String heading = section.headings().isEmpty() ? "" : section.headings().getLast();
    boolean isHeaded =
        section.span().said() > section.span().start()
            && parts.length == 2
            && parts[0].replaceFirst("^#{1,6}\\s+", "").strip().equals(heading);
    return isHeaded ? parts[1].strip() : text;
  }

  private List<Span> spans(List<Cut> cuts) {
    List<Cut> merged = new ArrayList<>();
    for (Cut cut : cuts.stream().sorted(Comparator.comparingInt(Cut::from)).toList()) {
      Cut before = merged.isEmpty() ? new Cut(-2, -2, "") : merged.getLast();
      if (cut.from() <= before.to()) {
        merged.removeLast();
        merged.add(new Cut(before.from(), Math.max(before.to(), cut.to()), before.is() + cut.is()));
      } else {
        merged.add(cut);
      }
    }
    return merged.stream()
        .map(
            cut ->
                new Span(
                    (raw.startsWith(MARK) ? 1 : 0)
                        + lines.stream().limit(cut.from()).mapToInt(String::length).sum(),
                    String.join("", lines.subList(cut.from(), cut.to())),
                    cut.is()))
        .toList();
  }
}
