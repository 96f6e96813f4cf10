package dev.helixbg.insight.sources;

import dev.helixbg.insight.sources.GitCommand.SourceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The git repository in a folder. Its data is read, without git, from a few small files that the
 * manual page gitrepository-layout(5) describes.
 *
 * <p>No link is followed, except the folder itself, which the user names. In a worktree, {@code
 * .git} is a file that names a git folder elsewhere. That git folder must name the worktree, and
 * the repository must list that git folder. Otherwise, the author of the worktree's folder could
 * make helix-bg read any repository of the user.
 *
 * @param commit id of the commit that is checked out: 40 or 64 hexadecimal digits
 * @param shallow ids of commits without parents in a shallow clone, one on each line
 */
record GitRepository(String name, Path objects, String commit, String shallow) {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
  private static final Pattern REF =
      Pattern.compile("refs/(?!.*\\.\\.)[^\\x00-\\x20\\x7f~^:?*\\[\\\\]{1,250}");

  /** Maximum size, in bytes, of a file that should have one line. */
  private static final int MAX_LINE = 4_096;

  /** Maximum size of the lists of all refs and of a shallow clone's oldest commits, in bytes. */
  private static final int MAX_LIST = 16 << 20;

  static GitRepository in(Path folder) throws SourceException {
    Layout layout = Layout.of(folder);
    String commit = layout.commit();
    Path objects = layout.common().resolve("objects");
    if (!isFolder(objects)) {
      throw new SourceException("it has no folder of git objects");
    }
    String shallow = read(layout.common().resolve("shallow"), MAX_LIST).orElse("");
    if (!shallow.lines().allMatch(id -> ID.matcher(id).matches())) {
      throw new SourceException("its list of shallow commits is damaged");
    }
    return new GitRepository(String.valueOf(folder.getFileName()), objects, commit, shallow);
  }

  /** Returns the files that change when the commit or the history changes; some may not exist. */
  static List<Path> watched(Path folder) {
    try {
      Layout layout = Layout.of(folder);
      Path head = layout.own().resolve("HEAD");
      Optional<Path> ref = layout.ref().map(layout.common()::resolve);
      Path common = layout.common();
      return List.of(
          head, ref.orElse(head), common.resolve("packed-refs"), common.resolve("shallow"));
    } catch (SourceException e) {
      return List.of(folder, folder.resolve(".git"));
    }
  }

  boolean isSha256() {
    return commit.length() == 64;
  }

  /** Git's folder for this worktree, and git's folder for all worktrees; usually the same. */
  private record Layout(Path own, Path common) {

    static Layout of(Path folder) throws SourceException {
      if (!Files.isDirectory(folder)) {
        throw new SourceException("there is no such folder");
      }
      Path git = folder.resolve(".git");
      if (isFolder(git)) {
        return new Layout(git, git);
      }
      try {
        Optional<String> line = read(git, MAX_LINE).map(String::strip);
        if (line.isPresent() && line.get().startsWith("gitdir: ")) {
          Path own = folder.resolve(line.get().substring("gitdir: ".length()));
          Optional<Path> back =
              read(own.resolve("gitdir"), MAX_LINE).map(String::strip).map(Path::of);
          if (back.isPresent() && own.resolve(back.get()).toRealPath().equals(git.toRealPath())) {
            String common = read(own.resolve("commondir"), MAX_LINE).orElse(".").strip();
            Layout layout = new Layout(own, own.resolve(common).normalize());
            if (layout.isListed()) {
              return layout;
            }
          }
        }
      } catch (InvalidPathException | IOException e) {
        // a path that is invalid or cannot be read counts as a missing one
      }
      throw new SourceException(
          Files.exists(git, LinkOption.NOFOLLOW_LINKS)
              ? "helix-bg does not read it, because its git folder is elsewhere and does not list"
                  + " it as a worktree"
              : "it is not the top folder of a git repository");
    }

    /** Whether {@code common} is {@code own}, or has {@code own} among its worktrees. */
    private boolean isListed() throws IOException {
      Path mine = own.toRealPath();
      Path shared = common.toRealPath();
      return shared.equals(mine) || shared.resolve("worktrees").equals(mine.getParent());
    }

    /** Returns the ref of the branch that is checked out; empty for a commit without a branch. */
    Optional<String> ref() throws SourceException {
      Optional<String> branch = ref(head());
      // a branch can be an alias of another branch
      Optional<String> other = branch.isPresent() ? ref(loose(branch.get()).orElse("")) : branch;
      return other.or(() -> branch);
    }

    private Optional<String> ref(String line) throws SourceException {
      if (!line.startsWith("ref: ")) {
        return Optional.empty();
      }
      String ref = line.substring("ref: ".length());
      try {
        common.resolve(ref);
        if (REF.matcher(ref).matches()) {
          return Optional.of(ref);
        }
      } catch (InvalidPathException e) {
        // this system has no file of this name
      }
      throw new SourceException("the branch that is checked out has an unusual name");
    }

    private String head() throws SourceException {
      return read(own.resolve("HEAD"), MAX_LINE)
          .map(String::strip)
          .orElseThrow(() -> new SourceException("its HEAD file is missing"));
    }

    String commit() throws SourceException {
      Optional<String> ref = ref();
      String id = ref.isEmpty() ? head() : of(ref.get());
      if (!ID.matcher(id).matches()) {
        throw new SourceException("HEAD names no commit");
      }
      return id;
    }

    /** Fails if a part of a file's path is a link, which could lead into another repository. */
    private void requireNoLink(Path file) throws SourceException {
      for (Path folder = file.getParent(); !folder.equals(common); folder = folder.getParent()) {
        if (Files.isSymbolicLink(folder)) {
          throw new SourceException("a folder under its refs is a symbolic link");
        }
      }
    }

    private Optional<String> loose(String ref) throws SourceException {
      Path file = common.resolve(ref);
      requireNoLink(file);
      return read(file, MAX_LINE).map(String::strip);
    }

    private String of(String ref) throws SourceException {
      Optional<String> loose = loose(ref);
      if (loose.isPresent()) {
        return loose.get();
      }
      return read(common.resolve("packed-refs"), MAX_LIST).stream()
          .flatMap(String::lines)
          .filter(line -> line.endsWith(" " + ref))
          .map(line -> line.substring(0, line.indexOf(' ')))
          .findFirst()
          .orElseThrow(
              () ->
                  new SourceException(
                      isFolder(common.resolve("reftable"))
                          ? "its refs have the format reftable, which helix-bg does not read"
                          : "it has no commit yet"));
    }
  }

  private static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the text of a regular file; empty if the file does not exist. */
  private static Optional<String> read(Path file, int most) throws SourceException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      byte[] bytes = in.readNBytes(most + 1);
      if (bytes.length > most) {
        throw new SourceException("a file in its git folder is too large");
      }
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new SourceException("a file in its git folder cannot be read");
    }
  }
}
