package dev.helixbg.insight.sources;

import dev.helixbg.config.text.NormalForm;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds names in an entry's source line and text that may be names of files in a repository. */
public final class SourceMentions {
  /** Maximum length of the part of a text that is read, in UTF-16 units. */
  private static final int MAX_TEXT = 20_000;

  private static final int MAX_NAMES = 100;
  private static final int MAX_PATH = 300;

  /**
   * Letters, digits and {@code _}, except letters of languages in which a word can follow a path
   * without a space.
   */
  private static final String WORD =
      "\\p{L}\\p{M}\\p{Nd}_&&[^\\p{IsHangul}%s]".formatted(Script.WITHOUT_SPACES);

  /** A path with an optional line number, outside a web address or a longer path. */
  private static final Pattern PATH =
      Pattern.compile(
          "(?<![[%1$s]/.:@~$%%-])((?:~?/)?[[%1$s].@+-]+(?:/[[%1$s].@+-]+)*)(?:(?::|#L)(\\d{1,6})(?!\\d))?"
              .formatted(WORD));

  /** {@code ./} at the start of a path, and punctuation of a sentence at the end of the path. */
  private static final Pattern AROUND = Pattern.compile("^(?:\\./)+|(?<![.@-])[.@-]+$");

  private static final Pattern ADDRESS = Pattern.compile("[A-Za-z][\\w+.-]*://\\S+");
  private static final Pattern EXTENSION =
      Pattern.compile(".*[[%s])]\\.[A-Za-z][A-Za-z0-9+]{0,9}".formatted(WORD));

  private SourceMentions() {}

  /** A path in NFC without a leading {@code ./}, and the path as written, with any line number. */
  record File(String path, String written) {
    String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }

    boolean hasExtension() {
      return EXTENSION.matcher(name()).matches();
    }
  }

  /**
   * Whether a path of a repository can be written into an entry: it is one word of bounded length,
   * without brackets. Other people choose the names of files, so a path can have any form.
   */
  public static boolean isPlace(String place) {
    Matcher whole = PATH.matcher(place);
    if (!whole.matches()) {
      return false;
    }
    String path = whole.group(1);
    return path.length() <= MAX_PATH
        && ".-@".indexOf(path.charAt(path.length() - 1)) < 0
        && !List.of(path.split("/")).contains("..");
  }

  /** Returns the files that an entry names, each once. */
  static List<File> of(Entry entry) {
    EntryText text = entry.text();
    Map<String, File> files = new LinkedHashMap<>();
    if (entry.note().isEmpty()) { // the source of a note is the note's own file
      text.source().ifPresent(source -> files(begin(source), files));
    }
    files(ADDRESS.matcher(begin(text.content())).replaceAll(" "), files);
    return List.copyOf(files.values());
  }

  private static String begin(String text) {
    return text.substring(0, Math.min(MAX_TEXT, text.length()));
  }

  private static void files(String text, Map<String, File> files) {
    Matcher found = PATH.matcher(text);
    while (found.find() && files.size() < MAX_NAMES) {
      String path = AROUND.matcher(found.group(1)).replaceAll("");
      boolean isWhole = found.group(1).endsWith(path);
      String line = isWhole ? found.group().substring(found.group(1).length()) : "";
      File file = new File(NormalForm.composed(path), path + line);
      if (isPath(file)) {
        files.merge(path, file, (known, other) -> known.written().equals(path) ? other : known);
      }
    }
  }

  private static boolean isPath(File file) {
    String path = file.path();
    return path.length() <= MAX_PATH
        && path.chars().anyMatch(Character::isLetter)
        && !path.contains("//")
        && !List.of(path.split("/")).contains("..")
        && (path.indexOf('/') >= 0 || file.hasExtension());
  }
}
