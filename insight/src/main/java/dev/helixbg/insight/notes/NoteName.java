package dev.helixbg.insight.notes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.log.Entry;
import java.net.URLEncoder;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a note is: the file, and in a long file the heading. These are fields of their own in the
 * log, too: a name that is put together from them is for people to read and is never taken apart.
 *
 * @param file path from the folder of the notes
 * @param heading with those above it, {@code #} between them; empty where it is under none
 * @param part which part of the file or of what is under the heading: {@code before its first
 *     heading} where others have headings of their own, {@code number 2} of equal headings; empty
 *     for the whole
 */
public record NoteName(String file, String heading, String part) {
  /**
   * Text that a wiki link can have: nothing that ends or divides the link, and no more than a line.
   */
  private static final Pattern IN_WIKI_LINK = Pattern.compile("[^\\[\\]|#^\\p{Cntrl}]{1,160}");

  private static final int MAX_LINK_TITLE = 100;

  /** The topic of files in the folder of the notes itself. */
  static final String TOP = "./";

  /** Words for a part that headings follow, in brackets at the end of its name. */
  static final String BEFORE_FIRST = "before its first heading";

  /** Before the level, where other headings come before: a title, or lower ones. */
  static final String OF_LEVEL = " of level ";

  /**
   * Name of a part under a heading without words; without it, the part would pass for the whole
   * file.
   */
  static final String UNTITLED = "under a heading without words";

  /** Before a number, where several headings of a file are the same. */
  static final String NUMBER = "number ";

  /** Before the first words of an item of a list, in quotation marks. */
  private static final String ITEM = "item “";

  private static final int MAX_ITEM = 60;

  private static final Pattern DAY = Pattern.compile("\\d{4}([-_.]?)\\d{2}\\1\\d{2}(?!\\d)");

  /** Characters that could end a quotation or a line of the log. */
  private static final Pattern IN_ITEM = Pattern.compile("[“”\\[\\]`*]");

  /** The part of a file that is one item of a list, by its first words, which outlast edits. */
  static String item(String text) {
    String line = PrintableText.line(text.lines().findFirst().orElse(""));
    String words = PrintableText.beginning(IN_ITEM.matcher(line).replaceAll(""), MAX_ITEM);
    return ITEM + words.strip() + "”";
  }

  /** The place of an entry that was made of a note; empty for one of helix. */
  public static Optional<NoteName> of(Entry entry) {
    return entry
        .note()
        .map(
            file ->
                new NoteName(
                    file, entry.text().heading().orElse(""), entry.text().part().orElse("")));
  }

  /** For people: {@code file#heading (part)}. Two places may have the same. */
  public String name() {
    return file + (heading.isEmpty() ? "" : "#" + heading) + partInName();
  }

  /** The words at the end of its name that tell the part; none for the whole. */
  public String partInName() {
    return part.isEmpty() ? "" : " (" + part + ")";
  }

  public boolean isWholeFile() {
    return heading.isEmpty() && part.isEmpty();
  }

  /** Whether two entries are of one file, and so need no link. */
  public static boolean areInOneFile(Entry a, Entry b) {
    return a.topic().equals(b.topic()) && a.note().isPresent() && a.note().equals(b.note());
  }

  /** Whether two entries are sections of one text, and no facts of their own. */
  public static boolean areSectionsOfOneFile(Entry a, Entry b) {
    return areInOneFile(a, b) && (a.text().position().isEmpty() || b.text().position().isEmpty());
  }

  /**
   * Whether two facts of one file are under the same headings, lessons under those above theirs.
   */
  public static boolean areInOneList(Entry a, Entry b) {
    return areInOneFile(a, b) && of(a).orElseThrow().list().equals(of(b).orElseThrow().list());
  }

  private String list() {
    return isItem() || part.startsWith(BEFORE_FIRST)
        ? heading
        : heading.substring(0, Math.max(0, heading.lastIndexOf('#')));
  }

  /** Whether it is an item of a list of facts. */
  public boolean isItem() {
    return part.startsWith(ITEM);
  }

  /** Whether the file is named by a day, and so a record of that day: a journal, a conversation. */
  boolean isRecord() {
    return DAY.matcher(file.substring(file.lastIndexOf('/') + 1)).lookingAt();
  }

  /**
   * Whether one of two entries is of the record of a day, and the other of a note without a day in
   * its name. Notes are written from records, which stay as they are.
   */
  public static boolean areRecordAndNote(Entry a, Entry b) {
    Optional<Boolean> one = of(a).map(NoteName::isRecord);
    Optional<Boolean> other = of(b).map(NoteName::isRecord);
    return one.isPresent() && other.isPresent() && !one.equals(other);
  }

  /** Whether a topic is a folder of notes; none of helix is. */
  public static boolean isFolder(String topic) {
    return topic.endsWith("/");
  }

  /** Whether a topic is a folder of notes that lies in another one; no topic of helix is. */
  public static boolean isWithin(String topic, String other) {
    return topic.endsWith("/")
        && other.endsWith("/")
        && (other.equals(TOP) || topic.startsWith(other));
  }

  /** In a sentence, each name in it with a border around it. */
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

  /** A heading is always in quotation marks. */
  private static String quoted(String heading) {
    String quoted = QuotedName.of(heading);
    return quoted.startsWith("“") ? quoted : "“" + quoted + "”";
  }

  /** Its folder with a slash; {@code ./} for the folder of the notes itself. */
  public String folder() {
    int slash = file.lastIndexOf('/');
    return slash < 0 ? TOP : file.substring(0, slash + 1);
  }

  /** Returns the Obsidian link to it; empty where such a link cannot have its name. */
  public Optional<String> wikiLink() {
    String path = file.substring(0, file.lastIndexOf('.'));
    boolean headed =
        !heading.isEmpty()
            && !part.contains(NUMBER)
            && IN_WIKI_LINK.matcher(heading.replace("#", "")).matches();
    return IN_WIKI_LINK.matcher(path).matches()
        ? Optional.of("[[" + path + (headed ? "#" + heading : "") + "]]")
        : Optional.empty();
  }

  /** Returns the Markdown link to its file from another one. */
  public String linkFrom(NoteName other) {
    String[] mine = file.split("/");
    String[] its = other.file().split("/");
    int shared = 0;
    while (shared < Math.min(mine.length, its.length) - 1 && mine[shared].equals(its[shared])) {
      shared++;
    }
    StringBuilder path = new StringBuilder("../".repeat(its.length - 1 - shared));
    for (int i = shared; i < mine.length; i++) {
      path.append(mine[i]).append(i < mine.length - 1 ? "/" : "");
    }
    String name = mine[mine.length - 1];
    String title = name.substring(0, name.lastIndexOf('.'));
    return "["
        + PrintableText.beginning(title.replaceAll("[\\[\\]\\\\]", " "), MAX_LINK_TITLE)
        + "]("
        + URLEncoder.encode(path.toString(), UTF_8).replace("+", "%20").replace("%2F", "/")
        + ")";
  }
}
