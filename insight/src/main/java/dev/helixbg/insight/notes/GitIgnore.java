package dev.helixbg.insight.notes;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/**
 * The rules of a git work tree, as gitignore(5) defines them; the last matching rule decides.
 *
 * @param tree the top folder of the work tree
 * @param rules all rules, the last one first
 */
record GitIgnore(Optional<Path> tree, List<Rule> rules) {
  private static final String FILE = ".gitignore";

  private static final int MAX_FILE = 1 << 16;

  /** Greatest length of a line, in characters. Longer lines are skipped. */
  private static final int MAX_LINE = 256;

  /** Two stars, in the middle or at the end of a pattern, that match any number of folders. */
  private static final Pattern FOLDERS = Pattern.compile("/\\*\\*(?=/|$)");

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\*+(?<more>(?=[^/]*\\*))?|\\[(?<not>[!^]?)(?<set>]?(?:\\[:[a-z]+:]|\\\\.|[^]\\\\])+)]"
              + "|\\\\(?<escaped>.)|[^*?\\[\\\\]+|.");

  /** The text of the file {@code .git} in a work tree that {@code git worktree} made. */
  private static final Pattern LINKED = Pattern.compile("gitdir: (.+)/\\.git/worktrees/[^/]+\\s*");

  static final GitIgnore NONE = new GitIgnore(Optional.empty(), List.of());

  /**
   * The rule of one line in a {@code .gitignore}. The first {@code base} characters of a path are
   * the folder of this {@code .gitignore}; {@code pattern} is compared with the rest of the path.
   */
  private record Rule(int base, Pattern pattern, boolean negated, boolean foldersOnly) {}

  /**
   * Returns the rules from the top of a folder's work tree down to the folder's parent. The result
   * is {@link #NONE} if these rules ignore the folder, because git then manages nothing in it.
   */
  static GitIgnore above(Path folder) {
    GitIgnore found = NONE;
    for (Path one : Stream.iterate(folder, Objects::nonNull, Path::getParent).toList().reversed()) {
      if (isTop(one)) {
        found = new GitIgnore(Optional.of(one), List.of());
      } else if (found.ignores(one, true)) {
        found = NONE;
      }
      if (found.tree().isPresent() && !one.equals(folder)) {
        found = found.with(one);
      }
    }
    return found;
  }

  static boolean isTop(Path folder) {
    return Files.exists(folder.resolve(".git"), LinkOption.NOFOLLOW_LINKS);
  }

  /** If {@code folder} is a further git work tree, returns the first one of its repository. */
  static Optional<Path> firstTree(Path folder) {
    Matcher linked = LINKED.matcher(read(folder.resolve(".git")));
    try {
      return linked.matches()
          ? Optional.of(folder.resolve(linked.group(1)).normalize())
          : Optional.empty();
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Returns the rules of a folder's {@code .gitignore}, followed by the rules of this object. */
  GitIgnore with(Path folder) {
    List<Rule> all = new ArrayList<>();
    read(folder.resolve(FILE))
        .replaceFirst("^\uFEFF", "")
        .lines()
        .filter(line -> line.length() <= MAX_LINE)
        .toList()
        .reversed()
        .forEach(line -> add(all, folder, line.stripTrailing()));
    all.addAll(rules);
    return new GitIgnore(tree, all);
  }

  boolean ignores(Path path, boolean isFolder) {
    String whole = path.toString();
    for (Rule rule : rules) {
      if ((isFolder || !rule.foldersOnly())
          && rule.pattern().matcher(whole).region(rule.base(), whole.length()).matches()) {
        return !rule.negated();
      }
    }
    return false;
  }

  private static String read(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return "";
    }
    try (InputStream in =
        Channels.newInputStream(PrivateFiles.open(file, StandardOpenOption.READ))) {
      return new String(in.readNBytes(MAX_FILE), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // a file that cannot be read has no rules
    }
  }

  private static void add(List<Rule> rules, Path base, String line) {
    boolean negated = line.startsWith("!");
    String pattern = negated ? line.substring(1) : line;
    boolean foldersOnly = pattern.endsWith("/");
    pattern = foldersOnly ? pattern.substring(0, pattern.length() - 1) : pattern;
    if (pattern.isEmpty() || line.startsWith("#")) {
      return;
    }
    String below = pattern.indexOf('/') < 0 ? "**/" + pattern : pattern; // a name in any folder
    try {
      Pattern regex = Pattern.compile(regex(below), Pattern.UNICODE_CHARACTER_CLASS);
      int from = base.getParent() == null ? 0 : base.toString().length();
      rules.add(new Rule(from, regex, negated, foldersOnly));
    } catch (PatternSyntaxException e) {
      return; // git, too, matches nothing with such a pattern
    }
  }

  /**
   * Translates a pattern to a regular expression. The time of a match does not grow with the number
   * of stars, because each star, except the last one, keeps its first match.
   */
  private static String regex(String pattern) {
    String rooted = pattern.startsWith("/") ? pattern : "/" + pattern;
    String[] parts = FOLDERS.split(rooted.endsWith("/**") ? rooted + "/*" : rooted, -1);
    StringBuilder regex = new StringBuilder(namesRegex(parts[0]));
    for (int i = 1; i < parts.length; i++) {
      regex
          .append("(?>(?:/[^/]++)*?")
          .append(namesRegex(parts[i]))
          .append(i == parts.length - 1 ? "\\z)" : "(?=/))");
    }
    return regex.toString();
  }

  private static String namesRegex(String names) {
    StringBuilder regex = new StringBuilder();
    boolean isOpen = false;
    for (Matcher token = TOKEN.matcher(names); token.find(); ) {
      String one = token.group();
      if (one.startsWith("*")) {
        regex.append(isOpen ? ")" : "");
        isOpen = token.group("more") != null;
        regex.append(isOpen ? "(?>[^/]*?" : "[^/]*");
      } else if (one.equals("?")) {
        regex.append("[^/]");
      } else if (token.group("set") != null) {
        String set = token.group("set").replaceAll("\\\\?([^\\w-])", "\\\\$1");
        regex
            .append(token.group("not").isEmpty() ? "(?!/)[" : "(?!/)[^")
            .append(set.replaceAll("\\\\\\[\\\\:(\\w+)\\\\:\\\\]", "\\\\p{$1}"))
            .append(']');
      } else {
        regex.append(Pattern.quote(Objects.requireNonNullElse(token.group("escaped"), one)));
      }
    }
    return regex.append(isOpen ? ")" : "").toString();
  }
}
