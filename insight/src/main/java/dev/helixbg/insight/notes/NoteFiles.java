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
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The Markdown files of a folder, sorted by path, followed by other memory files at the top of a
 * repository ({@link MemoryPlaces}). Files are found by name and {@code stat}, and are not opened.
 *
 * <p>No link is followed. These files and folders are skipped: hidden files and folders, except
 * memory files of agents; {@code node_modules}; knowledge bases of helix; reports of helix-bg;
 * further work trees of a repository; backups of Logseq; and files that git ignores. The depth of
 * folders and the number of files are limited.
 */
public final class NoteFiles {
  /** Maximum size of a file, in bytes; large, because notes can have embedded pictures. */
  static final long MAX_FILE = 16 << 20;

  /** Maximum number of characters of a note, not counting embedded data. */
  static final int MAX_TEXT = 1 << 20;

  /** Maximum size of all files, in bytes; all texts are in memory while the log is written. */
  static final long MAX_BYTES = 256 << 20;

  static final int MAX_FILES = 200_000;
  static final int MAX_DEPTH = 64;
  private static final int MAX_NAMES = 2_000_000;

  private static final Set<String> ENDINGS = Set.of(".md", ".markdown");

  /** Hidden folders of agents, at any depth; only memory files are taken from them. */
  private static final Set<String> AGENTS =
      Set.of(".claude", ".codex", ".cursor", ".gemini", ".github");

  /** Folders in which Logseq keeps former texts of its notes. */
  private static final Set<String> BACKUPS = Set.of("bak", "version-files");

  private static final String LINK = "a link, and links are not followed";

  private static final String ATTRIBUTES =
      FileState.ATTRIBUTES + ",isDirectory,isRegularFile,isSymbolicLink";

  /**
   * A file. {@code path} is relative to the folder, unique, on one line, and has {@code /} between
   * names. A path with unprintable characters is written with percent escapes.
   */
  record File(String path, Path file, FileState state) {}

  /** A folder from which files are taken, and a prefix for their paths. */
  private record Root(Path folder, String prefix) {
    /** Returns a path as text, with percent escapes if it has unprintable characters. */
    String shown(Path path) {
      String whole = folder.relativize(path).toString();
      boolean isShown = PrintableText.line(whole).equals(whole) && whole.indexOf('\uFFFD') < 0;
      String shown =
          prefix + (isShown ? whole : folder.toUri().relativize(path.toUri()).getRawPath());
      return Character.isWhitespace(shown.codePointAt(0)) ? "./" + shown : shown;
    }
  }

  private final boolean named;
  private final Path except;
  private final Map<String, File> found = new LinkedHashMap<>();

  /**
   * Identities of the files found, by which no file is taken twice. One file can have two paths:
   * through a link to a folder, as a hard link, or in two spellings if the file system ignores
   * case.
   */
  private final Set<Object> keys = new HashSet<>();

  private final Map<Path, LeftOut.File> leftOut = new LinkedHashMap<>();
  private Root root;
  private GitIgnore ignored = GitIgnore.NONE;
  private boolean isMemoryOnly;
  private long bytes;
  private int names;
  private int ignoredByGit;

  private NoteFiles(boolean named, Root root, Path except) {
    this.named = named;
    this.root = root;
    this.except = except;
  }

  /**
   * Finds the notes in a folder.
   *
   * @param except a folder that is skipped, at any depth
   * @throws IOException when the folder itself cannot be read
   */
  public static NoteFiles in(Path folder, Path except) throws IOException {
    NoteFiles files = new NoteFiles(false, new Root(folder, ""), except);
    files.ignored = GitIgnore.above(folder);
    files.folder(folder, 0);
    for (Path file : MemoryPlaces.inRepository(folder)) {
      files.takePlace(file);
    }
    return files;
  }

  /** Returns one file that the user named. */
  public static NoteFiles of(Path file) throws IOException {
    NoteFiles files = new NoteFiles(true, new Root(file.getParent(), ""), file);
    files.take(file, FileState.of(file));
    return files;
  }

  /**
   * Finds the memory files of coding agents ({@link MemoryPlaces}). Paths of files in the home
   * folder begin with {@code ~/}; other paths are relative to {@code top}, the top of the
   * repository.
   */
  public static NoteFiles ofMemory(Path home, Path top) throws IOException {
    NoteFiles files = new NoteFiles(true, new Root(home, "~/"), home);
    for (Path file : MemoryPlaces.atHome(home)) {
      files.takeNamed(file);
    }
    files.root = new Root(top, "");
    for (Path file : MemoryPlaces.inRepository(top)) {
      files.takeNamed(file);
    }
    if (GitIgnore.isTop(top)) {
      files.isMemoryOnly = true;
      files.folder(top, 0);
    }
    return files;
  }

  /** Returns the top folder of the git work tree that contains a path, even if git ignores it. */
  public static Optional<Path> top(Path path) {
    return Stream.iterate(path, Objects::nonNull, Path::getParent)
        .filter(GitIgnore::isTop)
        .findFirst();
  }

  /** Returns the top folder of the git work tree that contains a path; empty if git ignores it. */
  public static Optional<Path> repository(Path path) {
    return GitIgnore.above(path).tree();
  }

  List<File> files() {
    return List.copyOf(found.values());
  }

  public boolean isEmpty() {
    return found.isEmpty() && leftOut.isEmpty();
  }

  /** Returns the number of folders, and of notes outside these folders, that git ignores. */
  public int ignoredByGit() {
    return ignoredByGit;
  }

  /** Returns the files that exist but are not read, and the reasons. */
  List<LeftOut.File> leftOut() {
    return List.copyOf(leftOut.values());
  }

  /** Returns the time of the latest change to any of the files. */
  public Instant newest() {
    return found.values().stream()
        .map(one -> one.state().lastChange())
        .max(Comparator.naturalOrder())
        .orElse(Instant.EPOCH);
  }

  /** Whether the user named files, not a folder. */
  public boolean named() {
    return named;
  }

  /** Returns 64 hexadecimal digits that change if a file is added, removed, written or replaced. */
  public String digest() {
    List<String> parts = new ArrayList<>();
    found.values().forEach(one -> parts.add(one.state().linesAt(one.file())));
    leftOut.values().forEach(file -> parts.add(file.path() + " " + file.why()));
    return Sha256.of(parts);
  }

  /** Returns the file whose entries have this path as their source. */
  public Optional<Path> file(String path) {
    return Optional.ofNullable(found.get(path)).map(File::file);
  }

  static boolean isNote(String name) {
    int dot = name.lastIndexOf('.');
    return dot > 0 && ENDINGS.contains(name.substring(dot).toLowerCase(Locale.ROOT));
  }

  /** Adds a file with any name to the found files: a memory file, or a file that the user named. */
  private void takeNamed(Path file) throws IOException {
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      take(file, FileState.of(file));
    } else {
      leaveOut(file, LINK);
    }
  }

  /** Adds a memory file to the found files, unless git ignores it or a link leads to its folder. */
  private void takePlace(Path file) throws IOException {
    boolean isSkipped = ignored.ignores(file, false);
    for (Path one = file.getParent(); !one.equals(root.folder()); one = one.getParent()) {
      isSkipped |= ignored.ignores(one, true) || Files.isSymbolicLink(one);
    }
    if (!isSkipped) {
      takeNamed(file);
    }
  }

  private void folder(Path folder, int depth) throws IOException {
    Map<Path, String> all = new TreeMap<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
      for (Path path : stream) {
        if (++names > MAX_NAMES) {
          throw new IOException(
              "it contains more than %,d files and folders; name the folder of the notes"
                      .formatted(MAX_NAMES)
                  + " themselves");
        }
        all.put(path, path.getFileName().toString());
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Collection<String> there = all.values();
    if (depth > 0 && there.contains("data.log")) {
      return; // a knowledge base has a report of its own
    }
    if (there.contains(".git")) {
      if (depth > 0 && isFurtherTree(folder)) {
        return; // its files are copies of the files in the first work tree
      }
      ignored = GitIgnore.NONE;
    }
    if (there.contains(".gitignore")) {
      ignored = ignored.with(folder);
    }
    boolean isLogseq = there.contains("config.edn") && folder.endsWith("logseq");
    boolean hasReport = there.contains("report.json") && there.contains("report.html");
    for (Map.Entry<Path, String> one : all.entrySet()) {
      String name = one.getValue();
      if ((!name.startsWith(".") || AGENTS.contains(name))
          && !(isLogseq && BACKUPS.contains(name))
          && !(hasReport && name.equals("report.md"))) {
        look(one.getKey(), name, depth);
      }
    }
  }

  /**
   * Whether a folder is an additional work tree ({@code git worktree}) of a repository, and
   * helix-bg reads at least a part of the repository's first work tree.
   */
  private boolean isFurtherTree(Path folder) {
    return GitIgnore.firstTree(folder)
        .filter(first -> first.startsWith(root.folder()) || root.folder().startsWith(first))
        .isPresent();
  }

  private void look(Path path, String name, int depth) throws IOException {
    Map<String, Object> attributes; // all in one call, since there may be thousands of files
    try {
      attributes = Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      if (isWanted(path, name)) {
        leaveOut(path, "its attributes cannot be read");
      }
      return;
    }
    boolean isFolder = (Boolean) attributes.get("isDirectory");
    boolean isLink = (Boolean) attributes.get("isSymbolicLink");
    boolean isWanted = !isFolder && isWanted(path, name);
    if (!isFolder && !isLink && !isWanted) {
      return; // most files of a repository end here, before any comparison with git's rules
    }
    if (ignored.ignores(path, isFolder)) {
      ignoredByGit += isFolder || isWanted ? 1 : 0;
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
    } else if (isLink) {
      leaveOutLink(path, name, isWanted);
    } else if (!(Boolean) attributes.get("isRegularFile")) {
      leaveOut(path, "not a regular file");
    } else {
      take(path, FileState.of(attributes));
    }
  }

  private void enter(Path folder, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      leaveOut(folder, "deeper than " + MAX_DEPTH + " folders");
      return;
    }
    try {
      folder(folder, depth);
    } catch (IOException e) {
      if (names > MAX_NAMES) {
        throw e;
      }
      leaveOut(folder, "the folder cannot be read");
    }
  }

  private void take(Path path, FileState state) {
    if (!keys.add(state.key())) {
      return; // it was taken before
    }
    String why =
        state.size() > MAX_FILE
            ? "larger than 16 MiB"
            : bytes + state.size() > MAX_BYTES
                ? "beyond the limit of 256 MiB"
                : found.size() >= MAX_FILES
                    ? "beyond the limit of %,d files".formatted(MAX_FILES)
                    : "";
    if (!why.isEmpty()) {
      leaveOut(path, why);
      return;
    }
    String shown = root.shown(path);
    while (found.containsKey(shown)) {
      shown = "./" + shown;
    }
    found.put(shown, new File(shown, path, state));
    bytes += state.size();
  }

  private void leaveOut(Path path, String why) {
    leftOut.putIfAbsent(path, new LeftOut.File(root.shown(path), why));
  }

  /** Lists a link as left out if it has a note's name, or leads to a folder outside the notes. */
  private void leaveOutLink(Path link, String name, boolean isWanted) throws IOException {
    boolean hides =
        !isMemoryOnly
            && !name.equals("node_modules")
            && Files.isDirectory(link)
            && !link.toRealPath().startsWith(root.folder().toRealPath());
    if (hides || isWanted) {
      leaveOut(link, LINK);
    }
  }

  private boolean isWanted(Path path, String name) {
    return isMemoryOnly ? Items.isMemory(root.folder().relativize(path).toString()) : isNote(name);
  }
}
