package dev.helixbg.insight.sources;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an entry names that may be in a repository: files, in its source line and its text, and
 * identifiers that are no words.
 *
 * @param files as they are written, each once
 * @param identifiers in written order: with a hump or an underscore, or options such as {@code
 *     --dry-run}
 */
record SourceMentions(List<File> files, Set<String> identifiers) {
  /** Read of a text. */
  private static final int MAX_TEXT = 20_000;

  private static final int MAX_NAMES = 100;
  private static final int MAX_PATH = 300;
  private static final int MIN_IDENTIFIER = 6;
  private static final int MAX_IDENTIFIER = 80;

  /** A path with its line, where it has one. Nothing within an address or another path. */
  private static final Pattern PATH =
      Pattern.compile(
          "(?<![\\w/.:@~$%-])((?:~?/)?[\\w.@+-]+(?:/[\\w.@+-]+)*)(?:(?::|#L)(\\d{1,6})(?!\\d))?");

  private static final Pattern ADDRESS = Pattern.compile("[A-Za-z][\\w+.-]*://\\S+");
  private static final Pattern EXTENSION = Pattern.compile(".*[\\w)]\\.[A-Za-z][A-Za-z0-9]{0,9}");
  private static final Pattern IDENTIFIER =
      Pattern.compile("(?<![\\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\\w-])|(?<!\\w)[A-Za-z_]\\w+");
  private static final Pattern IS_CODE =
      Pattern.compile("--.+|.*[A-Za-z0-9]_+[A-Za-z0-9].*|.*[a-z0-9][A-Z].*");

  /**
   * A file as an entry names it.
   *
   * @param path without a leading {@code ./}
   * @param written as it stands in the entry, with the line
   */
  record File(String path, OptionalInt line, String written) {
    String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }

    boolean isBare() {
      return path.indexOf('/') < 0;
    }

    boolean hasExtension() {
      return EXTENSION.matcher(name()).matches();
    }
  }

  /**
   * Whether an entry could name a place so, with a line or without: one word of bounded length,
   * without line breaks, brackets, blanks and control characters.
   */
  static boolean isPlace(String place) {
    Matcher whole = PATH.matcher(place);
    if (!whole.matches()) {
      return false;
    }
    String path = whole.group(1);
    return path.length() <= MAX_PATH
        && ".-+@".indexOf(path.charAt(path.length() - 1)) < 0
        && !List.of(path.split("/")).contains("..");
  }

  static SourceMentions of(Entry entry) {
    EntryText text = entry.text();
    Map<String, File> files = new LinkedHashMap<>();
    Set<String> identifiers = new LinkedHashSet<>();
    if (entry.note().isEmpty()) { // else it is the file of the note itself
      text.source().ifPresent(source -> files(begin(source), files));
    }
    String words = ADDRESS.matcher(begin(text.content())).replaceAll(" ");
    String rest = files(words, files);
    Matcher found = IDENTIFIER.matcher(rest);
    while (found.find() && identifiers.size() < MAX_NAMES) {
      String name = found.group();
      if (name.length() >= MIN_IDENTIFIER
          && name.length() <= MAX_IDENTIFIER
          && IS_CODE.matcher(name).matches()
          && !BrandNames.isOne(name)) {
        identifiers.add(name);
      }
    }
    return new SourceMentions(List.copyOf(files.values()), identifiers);
  }

  boolean isEmpty() {
    return files.isEmpty() && identifiers.isEmpty();
  }

  private static String begin(String text) {
    return text.substring(0, Math.min(MAX_TEXT, text.length()));
  }

  /** Collects paths, and returns the text without those that are surely none but paths. */
  private static String files(String text, Map<String, File> files) {
    StringBuilder rest = new StringBuilder();
    Matcher found = PATH.matcher(text);
    int end = 0;
    while (found.find()) {
      String path = found.group(1);
      while (!path.isEmpty() && ".-+@".indexOf(path.charAt(path.length() - 1)) >= 0) {
        path = path.substring(0, path.length() - 1); // the end of a sentence
      }
      while (path.startsWith("./")) {
        path = path.substring(2);
      }
      boolean whole = found.group(1).endsWith(path);
      OptionalInt line =
          whole && found.group(2) != null
              ? OptionalInt.of(Integer.parseInt(found.group(2)))
              : OptionalInt.empty();
      String written =
          path + (line.isPresent() ? found.group().substring(found.group(1).length()) : "");
      File file = new File(path, line, written);
      if (isPath(file) && files.size() < MAX_NAMES) {
        File known = files.get(path);
        if (known == null || known.line().isEmpty()) {
          files.put(path, file);
        }
        if (path.indexOf('/') >= 0) {
          rest.append(text, end, found.start()).append(' ');
          end = found.end();
        }
      }
    }
    return rest.append(text, end, text.length()).toString();
  }

  private static boolean isPath(File file) {
    String path = file.path();
    return path.length() <= MAX_PATH
        && path.chars().anyMatch(Character::isLetter)
        && !path.contains("//")
        && !List.of(path.split("/")).contains("..")
        && (file.isBare() ? file.hasExtension() : true);
  }
}
