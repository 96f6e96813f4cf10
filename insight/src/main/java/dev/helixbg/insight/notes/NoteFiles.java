package dev.helixbg.insight.notes;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Markdown files of a folder as a walk finds them: by names and {@code stat} alone, in the
 * order of their paths, not in that of the file system.
 *
 * <p>No link is followed. Folders and files whose name begins with a dot are passed over, but for
 * memory files in the folders of agents, and so are {@code node_modules}, knowledge bases of helix,
 * reports of helix-bg, and what git ignores. The walk is bounded in depth, in names that it looks
 * at and in files that it takes.
 *
 * @param files to read
 * @param leftOut that are there and not to be read
 * @param newest when the last of the files changed
 * @param named whether files were named, not a folder of them
 */
public record NoteFiles(
    List<File> files, List<LeftOut.File> leftOut, Instant newest, boolean named) {
  /** Largest file, in bytes: notes may hold pictures as data. */
  static final long MAX_FILE = 16 << 20;

  /** Longest text without such data of one file, in characters; a longer one is not a note. */
  static final int MAX_TEXT = 1 << 20;

  /** Most bytes of all files together: their texts are held in memory while the log is written. */
  static final long MAX_BYTES = 256 << 20;

  static final int MAX_FILES = 200_000;
  static final int MAX_DEPTH = 64;
  private static final int MAX_NAMES = 2_000_000;

  private static final Set<String> ENDINGS = Set.of(".md", ".markdown");

  /** Characters that stand for others that cannot be shown. */
  private static final Pattern UNSHOWN = Pattern.compile("[\\uFFFD\\u2400-\\u2421]");

  /** Hidden folders in which agents keep memory files; nothing else is taken from them. */
  private static final Set<String> AGENTS =
      Set.of(".claude", ".codex", ".cursor", ".gemini", ".github");

  private static final String ATTRIBUTES =
      FileState.ATTRIBUTES + ",isDirectory,isRegularFile,isSymbolicLink";

  private static final String REPORT = "report";

  /** Before the path of a file that is named from the home folder. */
  private static final String HOME = "~/";

  /**
   * One file.
   *
   * @param path from the folder, {@code /} between its parts, on one line; no two are the same. A
   *     path that cannot be shown, or is shown as another, is the address of the file in percent
   *     escapes
   */
  record File(String path, Path file, FileState state) {}

  /**
   * @param except a folder that is passed over wherever it is met
   * @throws IOException when the folder itself cannot be read
   */
  public static NoteFiles in(Path folder, Path except) throws IOException {
    Walk walk = new Walk(folder, "", except);
    walk.folder(folder, 0);
    return new NoteFiles(walk.named(), walk.leftOut, walk.newest, false);
  }

  /**
   * One file that was named by itself.
   *
   * @throws IOException when it cannot be looked at
   */
  public static NoteFiles of(Path file) throws IOException {
    Walk walk = new Walk(file.getParent(), "", file);
    walk.take(file, FileState.of(file));
    return new NoteFiles(walk.named(), walk.leftOut, walk.newest, true);
  }

  /**
   * The files in which the usual coding agents keep what they learn and are told: those of the user
   * as {@code ~/path}, those of a repository from its top.
   *
   * @param top of the repository, or another folder
   * @throws IOException when one of both cannot be looked at
   */
  public static NoteFiles ofMemory(Path home, Path top) throws IOException {
    Walk own = new Walk(home, HOME, home);
    for (Path file : MemoryPlaces.atHome(home)) {
      own.takeNamed(file);
    }
    Walk shared = new Walk(top, "", home);
    shared.taken.addAll(own.taken); // the home folder may be a repository itself
    for (Path file : MemoryPlaces.inRepository(top)) {
      shared.takeNamed(file);
    }
    if (GitIgnore.isTop(top)) {
      shared.isMemoryOnly = true;
      shared.folder(top, 0);
    }
    List<File> files = new ArrayList<>(own.named());
    files.addAll(shared.named());
    List<LeftOut.File> leftOut = new ArrayList<>(own.leftOut);
    leftOut.addAll(shared.leftOut);
    Instant newest = own.newest.isAfter(shared.newest) ? own.newest : shared.newest;
    return new NoteFiles(files, leftOut, newest, true);
  }

  /** Differs when a file came, went, was written to or replaced; 64 hexadecimal digits. */
  public String digest() {
    List<String> parts = new ArrayList<>();
    files.forEach(file -> parts.add(file.state().linesAt(file.file())));
    leftOut.forEach(file -> parts.add(file.path() + " " + file.why()));
    return Sha256.of(parts);
  }

  /**
   * The file that entries were made of.
   *
   * @param path as they have it
   */
  public Optional<Path> file(String path) {
    return files.stream().filter(one -> one.path().equals(path)).map(File::file).findFirst();
  }

  static boolean isNote(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && ENDINGS.contains(name.substring(dot).toLowerCase(Locale.ROOT));
  }

  /** What a folder has. */
  private record Child(String name, Path path) {}

  private static final class Walk {
    private final Path root;
    private final String prefix;
    private final Path except;
    private final List<File> files = new ArrayList<>();
    private final Set<Path> taken = new HashSet<>();
    private final List<LeftOut.File> leftOut = new ArrayList<>();
    private Instant newest = Instant.EPOCH;
    private long bytes;
    private int names;

    /** Whether only memory files are taken. */
    private boolean isMemoryOnly;

    private GitIgnore ignored;

    /**
     * @param prefix of the paths
     */
    Walk(Path root, String prefix, Path except) {
      this.root = root;
      this.prefix = prefix;
      this.except = except;
      this.ignored = GitIgnore.above(root);
    }

    /** Takes a file that was named, with any name. */
    void takeNamed(Path file) throws IOException {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        take(file, FileState.of(file));
      } else if (taken.add(file)) {
        leftOut.add(new LeftOut.File(shown(file), "a link, and none is followed"));
      }
    }

    void folder(Path folder, int depth) throws IOException {
      List<Child> all = new ArrayList<>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        for (Path path : stream) {
          if (++names > MAX_NAMES) {
            throw new IOException(
                "it has more than %,d files and folders in it; name the folder of the notes"
                        .formatted(MAX_NAMES)
                    + " themselves");
          }
          all.add(new Child(path.getFileName().toString(), path));
        }
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
      Set<String> there = new HashSet<>();
      all.forEach(child -> there.add(child.name()));
      if (depth > 0 && there.contains("data.log")) {
        return; // a knowledge base, with a report of its own
      }
      ignored = ignored.in(folder);
      boolean hasReport = there.contains(REPORT + ".json") && there.contains(REPORT + ".html");
      all.sort(Comparator.comparing(Child::name).thenComparing(Child::path));
      for (Child child : all) {
        String name = child.name();
        if ((!name.startsWith(".") || AGENTS.contains(name))
            && !(hasReport && name.equals(REPORT + ".md"))) {
          look(child.path(), name, depth);
        }
      }
    }

    /** Files with paths that lead to them, and to no other file. */
    List<File> named() {
      Map<String, Long> uses =
          files.stream().collect(Collectors.groupingBy(File::path, Collectors.counting()));
      return files.stream()
          .map(file -> new File(path(file, uses.get(file.path()) == 1), file.file(), file.state()))
          .toList();
    }

    private String path(File file, boolean unique) {
      String whole = root.relativize(file.file()).toString();
      boolean same = whole.equals(file.path()) && whole.indexOf('\uFFFD') < 0;
      if (!same && !(unique && !UNSHOWN.matcher(file.path()).find())) {
        return root.toUri().relativize(file.file().toUri()).getRawPath();
      }
      return Character.isWhitespace(whole.codePointAt(0)) ? "./" + file.path() : file.path();
    }

    private void look(Path path, String name, int depth) throws IOException {
      Map<String, Object> attributes; // one look at a file: there may be thousands
      try {
        attributes = Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
      } catch (IOException e) {
        leaveOut(path, name, "cannot be looked at");
        return;
      }
      boolean isFolder = (Boolean) attributes.get("isDirectory");
      if (taken.contains(path) || ignored.ignores(path, isFolder)) {
        return;
      }
      if (isFolder) {
        if (!name.equals("node_modules") && !path.equals(except)) {
          boolean wasMemoryOnly = isMemoryOnly;
          GitIgnore outer = ignored;
          isMemoryOnly |= AGENTS.contains(name);
          enter(path, depth + 1);
          isMemoryOnly = wasMemoryOnly;
          ignored = outer;
        }
      } else if ((Boolean) attributes.get("isSymbolicLink")) {
        leaveOut(path, name, "a link, and none is followed");
      } else if (!(Boolean) attributes.get("isRegularFile")) {
        leaveOut(path, name, "no regular file");
      } else if (isWanted(name)) {
        take(path, FileState.of(attributes));
      }
    }

    private void enter(Path folder, int depth) throws IOException {
      if (depth > MAX_DEPTH) {
        leftOut.add(new LeftOut.File(shown(folder), "deeper than " + MAX_DEPTH + " folders"));
        return;
      }
      try {
        folder(folder, depth);
      } catch (IOException e) {
        if (names > MAX_NAMES) {
          throw e;
        }
        leftOut.add(new LeftOut.File(shown(folder), "the folder cannot be read"));
      }
    }

    private void take(Path path, FileState state) {
      if (!taken.add(path)) {
        return; // it was named before
      }
      String why =
          state.size() > MAX_FILE
              ? "larger than 16 MiB"
              : bytes + state.size() > MAX_BYTES
                  ? "beyond 256 MiB of notes"
                  : files.size() >= MAX_FILES
                      ? "beyond %,d files".formatted(MAX_FILES)
                      : Files.isReadable(path) ? "" : "may not be read";
      if (!why.isEmpty()) {
        leftOut.add(new LeftOut.File(shown(path), why));
        return;
      }
      files.add(new File(shown(path), path, state));
      bytes += state.size();
      Instant changed = state.changed().toInstant();
      newest = changed.isAfter(newest) ? changed : newest;
    }

    /** Only a file that would be a note is missed. */
    private void leaveOut(Path path, String name, String why) {
      if (isWanted(name)) {
        leftOut.add(new LeftOut.File(shown(path), why));
      }
    }

    private boolean isWanted(String name) {
      return isNote(name) && (!isMemoryOnly || Items.isMemory(name));
    }

    private String shown(Path path) {
      return PrintableText.line(prefix + root.relativize(path));
    }
  }
}
