package dev.helixbg.insight.notes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The place of a note, or of a section of a long note: its file and heading. {@link #name} joins
 * them into a name for people to read; no code parses this name.
 *
 * @param file path of the file, relative to the folder of the notes
 * @param heading the headings above the note, then its own, with {@code #} between them; or empty
 * @param part name of the part, if the note is only a part of the file or of the text under the
 *     heading: for example {@code before its first heading}, or {@code number 2} among equal
 *     headings. Otherwise empty
 */
public record NoteName(String file, String heading, String part) {
  /** Text that fits in a wiki link: a short line without characters that end or divide the link. */
  private static final Pattern IN_WIKI_LINK = Pattern.compile("[^\\[\\]|#^\\p{Cntrl}]{1,160}");

  private static final int MAX_LINK_TITLE = 100;

  /** The topic of files that are directly in the folder of notes, not in a subfolder. */
  static final String TOP = "./";

  /** Words for the part before the first heading, in brackets at the end of the part's name. */
  static final String BEFORE_FIRST = "before its first heading";

  /** Words that end {@link #BEFORE_FIRST} and precede a level, as in {@code … of level 2}. */
  static final String OF_LEVEL = " of level ";

  /** Words for a text between the items of a list of facts; such a text is not a fact. */
  static final String BETWEEN = "outside the list";

  /**
   * Words for a part under an empty heading. Without these words, the part would have the name of
   * the whole file.
   */
  static final String UNTITLED = "under a heading without words";

  /** Word before the number that distinguishes parts under equal headings of a file. */
  static final String NUMBER = "number ";

  /** Word and quotation mark before the first words of a list item. */
  private static final String ITEM = "item “";

  private static final int MAX_ITEM = 60;

  private static final Pattern DAY = Pattern.compile("\\d{4}([-_.]?)\\d{2}\\1\\d{2}(?!\\d)");

  /**
   * Characters that are removed from an item's words in a name. They could end the quotation of
   * these words, or end a metadata line.
   */
  private static final Pattern IN_ITEM = Pattern.compile("[“”\\[\\]`*]");

  /** Returns a name for a list item: the item's first words, because most edits keep these. */
  static String item(String text) {
    String line = PrintableText.line(text.lines().findFirst().orElse(""));
    String words = PrintableText.beginning(IN_ITEM.matcher(line).replaceAll(""), MAX_ITEM);
    return ITEM + words.strip() + "”";
  }

  /** Returns the place of an entry that was made from a note; empty for an entry of helix. */
  public static Optional<NoteName> of(Entry entry) {
    EntryText text = entry.text();
    return entry
        .note()
        .map(file -> new NoteName(file, text.heading().orElse(""), text.part().orElse("")));
  }

  /** Returns a name for people: {@code file#heading (part)}. Two places may have the same name. */
  public String name() {
    return file + (heading.isEmpty() ? "" : "#" + heading) + partInName();
  }

  /** Returns the words of the name that describe the part; empty if the note is not a part. */
  public String partInName() {
    return part.isEmpty() ? "" : " (" + part + ")";
  }

  public boolean isWholeFile() {
    return heading.isEmpty() && part.isEmpty();
  }

  /** Whether two entries are from the same file, and therefore need no link to each other. */
  public static boolean areInOneFile(Entry a, Entry b) {
    return a.topic().equals(b.topic()) && a.note().isPresent() && a.note().equals(b.note());
  }

  /** Whether two entries are from the same file, and at least one of them is not a fact. */
  public static boolean areSectionsOfOneFile(Entry a, Entry b) {
    return areInOneFile(a, b) && !(a.isFact() && b.isFact());
  }

  /**
   * Whether two facts of a file are under the same headings, not counting a lesson's own heading.
   */
  public static boolean areInOneList(Entry a, Entry b) {
    return areInOneFile(a, b) && of(a).orElseThrow().list().equals(of(b).orElseThrow().list());
  }

  String list() {
    return isItem() || part.startsWith(BEFORE_FIRST)
        ? heading
        : heading.substring(0, Math.max(0, heading.lastIndexOf('#')));
  }

  /** Whether the note is an item of a list of facts. */
  public boolean isItem() {
    return part.startsWith(ITEM);
  }

  /** Whether the file is a record of a day, such as a journal page: its name begins with a date. */
  boolean isRecord() {
    return DAY.matcher(fileName(file)).lookingAt();
  }

  /**
   * Whether one of two notes is from a record of a day, such as a journal page, and the other is
   * not. People write notes from such records.
   */
  public static boolean areRecordAndNote(Entry a, Entry b) {
    Optional<Boolean> one = of(a).map(NoteName::isRecord);
    Optional<Boolean> other = of(b).map(NoteName::isRecord);
    return one.isPresent() && other.isPresent() && !one.equals(other);
  }

  /** Whether both topics are folders of notes, and {@code topic} is in the other or equals it. */
  public static boolean isWithin(String topic, String other) {
    return Entry.isNote(topic)
        && Entry.isNote(other)
        && (other.equals(TOP) || topic.startsWith(other));
  }

  /** Returns the place in words that fit into a sentence; quotes names that are not plain words. */
  public String words() {
    String of = QuotedName.of(file);
    String where = heading.isEmpty() ? of : "the section " + quoted(heading) + " of " + of;
    return part.isEmpty()
        ? where
        : isItem()
            ? "the " + part + " of " + where
            : part.startsWith(BEFORE_FIRST)
                ? "the beginning of " + where + partInName()
                : heading.isEmpty() ? "the part of " + where + partInName() : where + partInName();
  }

  private static String quoted(String heading) {
    String quoted = QuotedName.of(heading);
    return quoted.startsWith("“") ? quoted : "“" + quoted + "”";
  }

  /** Returns the folder with its slash; {@code ./} for the folder of the notes itself. */
  String folder() {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? TOP : file.substring(0, slash + 1);
  }

  static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Returns a path without its file name's ending; {@code .rules} and TODO have no ending. */
  static String withoutEnding(String path) {
    int dot = path.lastIndexOf('.');
    return dot > path.lastIndexOf('/') + 1 ? path.substring(0, dot) : path;
  }

  /** Returns the Obsidian link to the note; empty if the file's path cannot be in such a link. */
  public Optional<String> wikiLink() {
    String path = withoutEnding(file);
    boolean headed =
        !heading.isEmpty()
            && !part.contains(NUMBER)
            && IN_WIKI_LINK.matcher(heading.replace("#", "")).matches();
    return IN_WIKI_LINK.matcher(path).matches()
        ? Optional.of("[[" + path + (headed ? "#" + heading : "") + "]]")
        : Optional.empty();
  }

  /** Returns the Markdown link from another note's file to this note's file. */
  public String linkFrom(NoteName other) {
    String[] mine = file.split("/");
    String[] its = other.file().split("/");
    int shared = 0;
    while (shared < Math.min(mine.length, its.length) - 1 && mine[shared].equals(its[shared])) {
      shared++;
    }
    String path =
        "../".repeat(its.length - 1 - shared)
            + String.join("/", Arrays.asList(mine).subList(shared, mine.length));
    String title = withoutEnding(mine[mine.length - 1]);
    return "["
        + PrintableText.beginning(title.replaceAll("[\\[\\]\\\\]", " "), MAX_LINK_TITLE)
        + "]("
        + URLEncoder.encode(path, UTF_8).replace("+", "%20").replace("%2F", "/")
        + ")";
  }
}
