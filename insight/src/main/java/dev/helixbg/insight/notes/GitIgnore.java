package dev.helixbg.insight.notes;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/** The rules of a git work tree, as gitignore(5) defines them; the last matching rule decides. */
record GitIgnore(List<Rule> rules) {
  private static final String FILE = ".gitignore";

  private static final int MAX_FILE = 1 << 16;

  /** Greatest length of a line, in characters. Longer lines are skipped. */
  private static final int MAX_LINE = 256;

  /** Greatest number of stars in a line. With more stars, each match could be slow. */
  private static final int MAX_STARS = 4;

  /** The text of the file {@code .git} in a work tree that {@code git worktree} made. */
  private static final Pattern LINKED = Pattern.compile("gitdir: (.+)/\\.git/worktrees/[^/]+\\s*");

  static final GitIgnore NONE = new GitIgnore(List.of());

  /** The rule of one line, for file names if {@code byName}, else for paths below {@code base}. */
  private record Rule(
      Path base, PathMatcher matcher, boolean byName, boolean negated, boolean foldersOnly) {}

  /** Returns the rules from the top of a folder's work tree down to the folder's parent. */
  static GitIgnore above(Path folder) {
    Path parent = folder.getParent();
    GitIgnore found = NONE;
    boolean isInTree = false;
    for (Path one : Stream.iterate(parent, Objects::nonNull, Path::getParent).toList().reversed()) {
      isInTree |= isTop(one);
      found = isInTree ? found.in(one) : NONE;
    }
    return found;
  }

  static boolean isTop(Path folder) {
    return Files.exists(folder.resolve(".git"), LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the repository's first work tree, if a folder is one of its further work trees. */
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

  /** Returns the rules in a subfolder; only its own rules if it is the top of a work tree. */
  GitIgnore in(Path folder) {
    List<Rule> all = new ArrayList<>(isTop(folder) ? List.of() : rules);
    read(folder.resolve(FILE))
        .lines()
        .filter(line -> line.length() <= MAX_LINE)
        .filter(line -> line.chars().filter(c -> c == '*').count() <= MAX_STARS)
        .forEach(line -> add(all, folder, line.stripTrailing()));
    return new GitIgnore(all);
  }

  boolean ignores(Path path, boolean isFolder) {
    for (Rule rule : rules.reversed()) {
      Path matched = rule.byName() ? path.getFileName() : rule.base().relativize(path);
      if ((isFolder || !rule.foldersOnly()) && rule.matcher().matches(matched)) {
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
    boolean byName = pattern.indexOf('/') < 0;
    String glob =
        pattern
            .substring(pattern.startsWith("/") ? 1 : 0)
            .replace("[^", "[!")
            .replaceAll("[{}]", "\\\\$0")
            .replaceFirst("^\\*\\*/", "{,**/}")
            .replace("/**/", "{/,/**/}");
    try {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
      rules.add(new Rule(base, matcher, byName, negated, foldersOnly));
    } catch (PatternSyntaxException e) {
      return; // git, too, matches nothing with such a pattern
    }
  }
}
