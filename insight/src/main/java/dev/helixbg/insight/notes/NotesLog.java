package dev.helixbg.insight.notes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.SaidText;
import dev.helixbg.insight.notes.Note.Section;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Converts a folder of notes to a log of helix-bg's own, in the format that {@link DataLog} reads.
 *
 * <p>Each section of a file becomes an entry. Its topic is the folder with a final slash, and its
 * source is the file ({@link Entry#note}). If the log exists, unchanged entries keep their order
 * and times in it; new entries follow, the oldest first.
 */
public final class NotesLog {
  /** Maximum length of the topic of a record, in bytes. */
  private static final int MAX_TOPIC = 255;

  private static final int MAX_LINKS = 50;
  private static final int MAX_MEMORY = 200;

  /** Front matter key of drawings that an Obsidian plugin writes as Markdown files. */
  private static final String DRAWING = "excalidraw-plugin";

  /** First line of a page of questions, as {@code study --export} writes it. */
  public static final String QUESTIONS = "# Questions of helix-bg\n";

  /** Beginning of a file whose content Git LFS has not fetched. */
  private static final String LFS_POINTER = "version https://git-lfs.github.com/spec/";

  /** A text that contains the three marker lines of an unfinished merge, in git's order. */
  private static final Pattern UNMERGED =
      Pattern.compile("(?ms)(?>.*?^<{7} )(?>.*?^={7}$)(?>.*?^>{7} )");

  /** Text between the title of a note and its headings in the first line of an entry. */
  public static final String BETWEEN = " › ";

  private static final String LINKS = "[links: ";
  private static final String LINE = "[line: ";

  /** Words of an instruction not to do something, and of headings over such instructions. */
  public static final String FORBIDDING =
      "never|avoid|(?:do|must|should|may)\\s+not|(?<!(?:and|or|&|/)\\s?)don['’]ts?|not\\s+(?:allowed|to\\s+do)|forbidden"
          + "|prohibited|anti-?\\s?patterns?|bad\\s+(?:practices?|habits?|ideas?)|(?:common|past"
          + "|known)\\s+mistakes|mistakes\\s+to|deprecated"
          + "|nie(?:mals)?|vermeiden?|verboten|nicht\\s+(?:erlaubt|tun)"
          + "|jamais|éviter?|évitez|interdite?s?|(?:à\\s+)?ne\\s+pas(?:\\s+faire)?"
          + "|nunca|evit[ae]r?|prohibid[ao]s?|no\\s+(?:hacer|permitid[ao]s?)|proibid[ao]s?|não\\s+fazer"
          + "|никогда|нельзя|запрещ[её]н[аоы]?|запрещается|избегать|не\\s+делать";

  /** Words as in {@link #FORBIDDING}, in writing systems without blanks between words. */
  public static final String FORBIDDING_UNSPACED = "避免|禁止|不要|切勿|してはいけない|しないこと";

  /** A heading that says that the reader must do, or must not do, what the items under it say. */
  private static final Pattern OBLIGES =
      Pattern.compile(
          "(?iu)(?<![\\p{L}\\d])(?:%s)(?![\\p{L}\\d])|%s|^\\W*(?:(?:always|dos?|must|required|immer|toujours|siempre)(?![\\p{L}\\d])|必须|总是)"
              .formatted(FORBIDDING, FORBIDDING_UNSPACED));

  /** Maximum length of a heading of the form {@link #OBLIGES}; a longer one is a statement. */
  private static final int OBLIGING = 50;

  private static final Pattern EVERY_FILE = Pattern.compile("[*/]*");

  /** Front matter values of rules that Windsurf and Kiro load only when asked by user or model. */
  private static final Pattern ON_REQUEST = Pattern.compile("manual|auto|model_decision");

  private NotesLog() {}

  /**
   * The topic of an entry, and its body without the lines {@code [links: …]} and {@code [line: …]}.
   * Edits of other entries can change these two lines.
   */
  private record Said(String topic, String core) {}

  /**
   * An entry before it is written to the log.
   *
   * @param minutes time in local minutes since 1970-01-01 00:00; 0 if unknown
   * @param isDated whether the time comes from the text of the note, not from its file; true for
   *     facts
   * @param note the note, without its texts to save memory
   */
  private record Draft(Said said, int minutes, boolean isDated, Note note, Section section) {
    Draft at(OptionalInt time) {
      return time.isPresent() ? new Draft(said, time.getAsInt(), true, note, section) : this;
    }
  }

  private record Written(String topic, String body, int minutes) {
    Said said() {
      String core = body;
      for (String outer : List.of(LINE, LINKS)) {
        core = core.startsWith(outer) ? core.substring(core.indexOf('\n') + 1) : core;
      }
      return new Said(topic, core);
    }
  }

  /**
   * Reads the files, and writes their entries to the log. An unchanged log is not written again.
   *
   * @param dated whether the time of a file shows when it was written; false in a git work tree
   * @throws IOException when the log cannot be written
   * @throws CancellationException when the thread is interrupted; the log is then unchanged
   */
  public static NotesAccount update(Path dataLog, NoteFiles files, boolean dated, NotesItems items)
      throws IOException {
    List<LeftOut.File> leftOut = new ArrayList<>(files.leftOut());
    List<LeftOut.File> repaired = new ArrayList<>();
    List<Note> notes = new ArrayList<>();
    List<Draft> drafts = new ArrayList<>();
    Map<Note, String> memory = new LinkedHashMap<>();
    int empty = 0;
    Items.Given given = new Items.Given(files.named(), items);
    for (NoteFiles.File file : files.files()) {
      Optional<String> text = read(file, leftOut);
      endIfInterrupted();
      if (text.isEmpty()) {
        continue;
      }
      String cleaned = SaidText.of(text.get());
      Optional<String> unread = notRead(cleaned);
      if (unread.isPresent()) {
        leftOut.add(new LeftOut.File(file.path(), unread.get()));
        continue;
      }
      Note note = Note.of(file.path(), cleaned, given);
      if (note.matter().values().containsKey(DRAWING)) {
        leftOut.add(new LeftOut.File(file.path(), "a drawing of Excalidraw"));
        continue;
      }
      if (note.sections().isEmpty()) {
        empty++;
        continue;
      }
      repaired(note, text.get()).ifPresent(why -> repaired.add(new LeftOut.File(file.path(), why)));
      Note linked = note.withoutTexts();
      notes.add(linked);
      if (!note.cut().isEmpty() && memory.size() < MAX_MEMORY) {
        memory.put(linked, text.get());
      }
      int minutes = dated ? NoteTime.of(file.state().modified().toInstant()) : 0;
      for (int i = 0; i < note.sections().size(); i++) {
        Section of = note.sections().get(i);
        drafts.add(
            new Draft(
                new Said(topic(note.path()), core(note, of)),
                of.isFact() ? of.minutes() : minutes,
                of.isFact(),
                linked,
                linked.sections().get(i)));
      }
    }
    NoteTime times = NoteTime.of(notes);
    drafts.replaceAll(draft -> draft.isDated() ? draft : draft.at(times.said(draft.note())));
    List<Written> before = before(dataLog);
    List<Draft> ordered = ordered(drafts, before);
    endIfInterrupted();
    NoteLinks links = new NoteLinks(notes);
    write(dataLog, withLinks(ordered, links), before);
    IndexCheck index = new IndexCheck(links, files);
    List<MemoryFile> checked = new ArrayList<>();
    memory.forEach((note, text) -> checked.add(MemoryFile.of(note, text, index.of(note, text))));
    leftOut.sort(Comparator.comparing(LeftOut.File::path));
    return new NotesAccount(
        notes.size() + empty,
        ordered.size(),
        empty,
        LeftOut.of(leftOut),
        LeftOut.of(repaired),
        checked);
  }

  /** Throws if the thread is interrupted: reading then fails even for readable files. */
  private static void endIfInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted");
    }
  }

  private static Optional<String> read(NoteFiles.File file, List<LeftOut.File> leftOut) {
    try {
      Optional<String> text = text(file.file());
      if (text.isEmpty()) {
        leftOut.add(new LeftOut.File(file.path(), "binary, or in an unknown encoding"));
      }
      return text;
    } catch (IOException e) {
      leftOut.add(new LeftOut.File(file.path(), "cannot be read"));
      return Optional.empty();
    }
  }

  /** Returns why a text is not read as a note; empty if it is read. */
  private static Optional<String> notRead(String text) {
    return text.length() > NoteFiles.MAX_TEXT
        ? Optional.of("longer than 1 MiB")
        : text.startsWith(QUESTIONS)
            ? Optional.of("a page of questions by helix-bg")
            : text.startsWith(LFS_POINTER)
                ? Optional.of("a pointer of Git LFS: git lfs pull fetches the file")
                : UNMERGED.matcher(text).lookingAt()
                    ? Optional.of("an unfinished merge: resolve the conflicts in it")
                    : Optional.empty();
  }

  /** Returns the text of a file; empty if it is not text. */
  static Optional<String> text(Path file) throws IOException {
    try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.READ);
        InputStream in = Channels.newInputStream(channel)) {
      return NoteDecoder.text(in.readNBytes((int) NoteFiles.MAX_FILE + 1));
    }
  }

  private static Optional<String> repaired(Note note, String text) {
    List<String> why = new ArrayList<>();
    if (text.indexOf('\uFFFD') >= 0) {
      why.add("bytes that are not text, shown as U+FFFD");
    }
    if (!note.matter().sound()) {
      why.add("front matter that was understood only in part or not at all");
    }
    return why.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", why));
  }

  /** Returns the body of an entry, without the lines of its links and its position. */
  static String core(Note note, Section section) {
    StringBuilder content = new StringBuilder(SaidText.of(title(note, section)));
    List<String> aliases = note.aliases();
    if (!aliases.isEmpty() && section == note.sections().getFirst()) {
      content.append("\nAlso called ").append(String.join(", ", aliases));
    }
    String between = section.place().isItem() ? ": " : "\n\n";
    content.append(content.isEmpty() ? "" : between).append(section.text());
    return line("tags", String.join(", ", note.tags()))
        + line("source", section.place().file())
        + line("heading", section.place().heading())
        + line("part", section.place().part())
        + line("paths", note.cut().isEmpty() ? "" : paths(note.matter(), note.path()))
        + asText(content.toString());
  }

  /**
   * Returns the title of an entry. The title of a lesson is its heading. An item of a list has no
   * title, because all items of the list would share the words of the title. The exception is a
   * heading that says what to do or not to do: it is the title of the items under it.
   */
  private static String title(Note note, Section section) {
    if (section.isFact()) {
      String heading = section.headings().isEmpty() ? "" : section.headings().getLast();
      boolean isTitle =
          !section.place().isItem()
              || heading.length() <= OBLIGING && OBLIGES.matcher(heading).find();
      return isTitle ? heading : "";
    }
    return Stream.concat(Stream.of(note.title()), section.headings().stream())
        .collect(Collectors.joining(BETWEEN));
  }

  /**
   * Returns the patterns of the files for which an agent loads a memory file; empty for all files.
   * For a file that an agent loads only on request, returns a text that contains the file's path,
   * so that no other file has the same text.
   */
  private static String paths(FrontMatter matter, String path) {
    Optional<String> always = matter.first("alwaysapply");
    String paths =
        Stream.of("globs", "paths", "applyto", "filematchpattern")
            .flatMap(key -> matter.values().getOrDefault(key, List.of()).stream())
            .map(PrintableText::line)
            .collect(Collectors.joining(", "));
    boolean isAsked =
        paths.isEmpty() && always.filter("false"::equalsIgnoreCase).isPresent()
            || matter
                .first("trigger", "inclusion")
                .filter(how -> ON_REQUEST.matcher(how).matches())
                .isPresent();
    if (isAsked) {
      return "on request: " + path;
    }
    return always.filter("true"::equalsIgnoreCase).isPresent()
            || EVERY_FILE.matcher(paths).matches()
        ? ""
        : paths;
  }

  private static String line(String kind, String value) {
    return value.isEmpty() ? "" : "[" + kind + ": " + value + "]\n";
  }

  /** Puts a space before each line that looks like metadata, so that it is read as text. */
  private static String asText(String text) {
    return text.indexOf('[') < 0
        ? text
        : text.lines()
            .map(
                line ->
                    EntryText.ofNote(line).content().isEmpty() && !line.isEmpty()
                        ? " " + line
                        : line)
            .collect(Collectors.joining("\n"));
  }

  /**
   * Returns the folder of a file as a topic. Only the end of a long path is kept. A blank becomes a
   * hyphen, because blanks separate the references in an entry's list of links. The folder of the
   * notes itself is {@code ./}.
   */
  static String topic(String path) {
    String folder = path.substring(0, path.lastIndexOf('/') + 1);
    String topic = folder.isEmpty() ? NoteName.TOP : folder.replaceAll("[\\s\\p{Z}]", "-");
    while (topic.getBytes(UTF_8).length > MAX_TOPIC) {
      int cut = topic.indexOf('/');
      topic =
          cut >= 0 && cut < topic.length() - 1
              ? topic.substring(cut + 1)
              : topic.substring(topic.offsetByCodePoints(0, 1));
    }
    return topic;
  }

  /** Returns the records of the existing log; an empty list if the log is missing or damaged. */
  private static List<Written> before(Path dataLog) {
    try {
      return DataLog.read(dataLog).entries().stream()
          .map(entry -> new Written(entry.topic(), entry.body(), entry.timestampMin()))
          .toList();
    } catch (DataLogException e) {
      return List.of(); // the log is written from scratch
    }
  }

  private static List<Draft> ordered(List<Draft> drafts, List<Written> before) {
    Map<Said, Draft> left = new LinkedHashMap<>();
    drafts.forEach(draft -> left.putIfAbsent(draft.said(), draft));
    List<Draft> ordered = new ArrayList<>(drafts.size());
    for (Written record : before) {
      Draft kept = left.remove(record.said());
      if (kept != null) { // an unchanged entry keeps its time, even if its file was modified
        ordered.add(kept.isDated() ? kept : kept.at(OptionalInt.of(record.minutes())));
      }
    }
    left.values().stream().sorted(Comparator.comparingInt(Draft::minutes)).forEach(ordered::add);
    return ordered;
  }

  /** Returns the records with links. A link names its target by topic and by index in the topic. */
  private static List<Written> withLinks(List<Draft> ordered, NoteLinks links) {
    Map<String, Integer> sizes = new HashMap<>();
    Map<NoteName, String> places = new HashMap<>();
    for (Draft draft : ordered) {
      String topic = draft.said().topic();
      int index = sizes.merge(topic, 1, Integer::sum) - 1;
      places.putIfAbsent(draft.section().place(), topic + ":" + index);
    }
    List<Written> written = new ArrayList<>(ordered.size());
    for (Draft draft : ordered) {
      Set<String> targets = new LinkedHashSet<>();
      for (MarkdownScan.Link link : draft.section().links()) {
        if (targets.size() < MAX_LINKS) {
          links
              .target(draft.note(), link)
              .filter(place -> !place.equals(draft.section().place()))
              .map(places::get)
              .ifPresent(targets::add);
        }
      }
      String line =
          draft.section().position().map(one -> LINE + one.text() + "]\n").orElse("")
              + (targets.isEmpty() ? "" : LINKS + String.join(" ", targets) + "]\n");
      written.add(new Written(draft.said().topic(), line + draft.said().core(), draft.minutes()));
    }
    return written;
  }

  private static void write(Path dataLog, List<Written> all, List<Written> before)
      throws IOException {
    if (!all.equals(before) || !Files.exists(dataLog)) {
      AtomicFile.replace(
          dataLog,
          out -> {
            out.write(little(8).put("AMRL".getBytes(UTF_8)).putInt(1).array());
            for (Written record : all) {
              write(record, out);
            }
          });
      // The log is complete, so its time is set back. DataLog.readQuiet then does not wait for
      // further changes.
      Files.setLastModifiedTime(
          dataLog, FileTime.from(Instant.now().minus(DataLog.QUIET.multipliedBy(2))));
    }
  }

  private static void write(Written record, OutputStream out) throws IOException {
    byte[] topic = record.topic().getBytes(UTF_8);
    byte[] body = record.body().getBytes(UTF_8);
    ByteBuffer header = little(12).put((byte) 1).put((byte) topic.length).putInt(body.length);
    out.write(header.putInt(record.minutes()).putShort((short) 0).array());
    out.write(topic);
    out.write(body);
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
