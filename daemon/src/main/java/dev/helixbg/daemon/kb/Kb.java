package dev.helixbg.daemon.kb;

import dev.helixbg.config.Settings;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The folder of a knowledge base, with the files that helix-bg reads and writes there. */
public record Kb(Path folder) {
  /** The file in which helix keeps a knowledge base. */
  public static final String DATA_LOG = "data.log";

  /** Folders of the user's home that are searched for a knowledge base, in this order. */
  private static final List<String> USUAL = List.of(".helix-kb", ".helix", ".local/share/helix");

  // Written by hand, because a record's generated methods are slow at their first call.

  @Override
  public boolean equals(Object other) {
    return other instanceof Kb kb && kb.folder.equals(folder);
  }

  @Override
  public int hashCode() {
    return folder.hashCode();
  }

  /**
   * Returns the knowledge base to work on: the argument, else the setting {@code kb} or {@code
   * $HELIX_KB}, else the first usual folder that has a data.log.
   *
   * @param argument a folder, or the data.log in it
   * @throws Failure with {@link ExitCode#KB} when there is none
   */
  public static Kb find(Optional<Path> argument, Settings settings, UserDirectories locations) {
    Optional<Kb> named = argument.or(settings::kb).map(Kb::named);
    if (named.isPresent()) {
      return named.get().requireThere();
    }
    List<Kb> usual = USUAL.stream().map(name -> new Kb(locations.home().resolve(name))).toList();
    return usual.stream()
        .filter(kb -> Files.exists(kb.dataLog()))
        .findFirst()
        .orElseThrow(
            () ->
                new Failure(
                    ExitCode.KB,
                    "no knowledge base found: no data.log in "
                        + usual.stream()
                            .map(kb -> kb.folder().toString())
                            .collect(Collectors.joining(", "))
                        + ". Name one: --kb FOLDER, or set HELIX_KB. To try helix-bg out: helix-bg"
                        + " one-shot --sample"));
  }

  /** Returns the KB in a folder, which need not exist; the argument may be its data.log. */
  public static Kb named(Path argument) {
    Path path = argument.toAbsolutePath();
    boolean isLog = path.endsWith(DATA_LOG) && Files.exists(path) && !Files.isDirectory(path);
    return new Kb((isLog ? path.getParent() : path).normalize());
  }

  /** Whether both KBs are the same folder; their paths may differ. */
  public boolean isSame(Kb other) {
    return isSame(folder, other.folder);
  }

  public static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other); // true for equal paths, even if nothing is there
    } catch (IOException e) {
      return false;
    }
  }

  /** Unpacks the bundled sample KB into the cache folder. */
  public static Kb sample(Path cacheFolder) {
    Kb kb = new Kb(cacheFolder.resolve("sample-kb"));
    try (InputStream resource = Kb.class.getResourceAsStream("/sample/data.log")) {
      byte[] log = resource.readAllBytes();
      PrivateFiles.makeTrustedFolder(cacheFolder, kb.folder());
      AtomicFile.update(kb.dataLog(), log);
      return kb;
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE, "unpack the sample to " + kb.folder(), e, Failure.OTHER_CACHE);
    }
  }

  /** Returns this KB; fails if it does not exist. */
  public Kb requireThere() {
    if (!Files.isDirectory(folder)) {
      throw new Failure(ExitCode.KB, "no such knowledge base: " + folder + " is not a folder");
    }
    if (!Files.exists(dataLog())) {
      throw new Failure(
          ExitCode.KB,
          "no knowledge base: there is no data.log in "
              + folder
              + "; a folder of Markdown notes is read with --notes "
              + folder);
    }
    return this;
  }

  private Failure gone() {
    return new Failure(
        ExitCode.KB,
        folder
            + " is no longer the same knowledge base: it was moved, deleted or replaced. helix-bg"
            + " writes nothing into this folder, and reads the knowledge base again when its"
            + " data.log is back");
  }

  /** Returns the log, which helix-bg only reads. */
  public Path dataLog() {
    return folder.resolve(DATA_LOG);
  }

  /** Returns the folder, within the KB's folder, into which helix-bg writes the report. */
  public Path insights() {
    return folder.resolve("insights");
  }

  /**
   * Identity of a KB's folder (inode and device) when work on it began. Results are saved only into
   * the same folder, so that helix-bg never recreates a KB that was moved, and never writes into
   * another KB.
   */
  public record Identity(Kb kb, Object folder) {
    public static Identity of(Kb kb) {
      try {
        return new Identity(
            kb, Files.readAttributes(kb.folder(), BasicFileAttributes.class).fileKey());
      } catch (IOException e) {
        throw kb.gone();
      }
    }

    /**
     * Fails unless the path still leads to the same folder with a log. Must be called before
     * results are written.
     */
    public void check() {
      if (!Files.exists(kb.dataLog()) || !equals(of(kb))) {
        throw kb.gone();
      }
    }
  }
}
