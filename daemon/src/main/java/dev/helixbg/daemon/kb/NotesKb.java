package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.notes.NoteFiles;
import dev.helixbg.insight.notes.NotesAccount;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import dev.helixbg.insight.notes.NotesLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder of Markdown notes or one such file, and the knowledge base that it is read as: a log of
 * our own in the cache folder, at {@code notes/HASH/NAME}, where vectors and reports follow as
 * beside any other. Nothing here writes into the folder of the notes.
 *
 * <p>Beside the log are {@value #ACCOUNT}, which says what folder it was made of and what was left
 * out, and {@value #SEEN}, by which a look at names and times tells that nothing has changed.
 *
 * @param notes the folder or the one file, by its real path where it is there
 * @param home of the user, where it is read what agents keep there and in the folder; else nothing
 * @param items whether lists are cut into items
 */
public record NotesKb(Path notes, Kb kb, Optional<Path> home, NotesItems items) {
  /** Where they are in the cache folder. */
  private static final String FOLDER = "notes";

  private static final String MEMORY = "memory";

  private static final String ACCOUNT = "notes.json";
  private static final String SEEN = "notes.seen";

  /** The field of the account that says what became of the files. */
  private static final String MADE = "made";

  /** Version of the log's making: raised when the same folder would give a different log. */
  private static final int FORMAT = 5;

  /** A file that changed more recently may change again without its times telling. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final Duration LOCK_WAIT = Duration.ofMinutes(2);
  private static final int HASH_DIGITS = 16;

  /** A folder of notes, or one file. */
  public static NotesKb at(Path folder, Settings settings) {
    return at(folder, Optional.empty(), settings);
  }

  /**
   * The memory files that coding agents keep about the user, and those of the repository around a
   * folder.
   *
   * @param here in the repository; outside of one, this folder alone
   */
  public static NotesKb ofMemory(Path here, Path home, Settings settings) {
    Path folder = here.toAbsolutePath().normalize();
    return at(repository(folder).orElse(folder), Optional.of(home), settings);
  }

  /** The top of the repository that a path is in; empty where it is in none. */
  private static Optional<Path> repository(Path path) {
    return Stream.iterate(path, Objects::nonNull, Path::getParent)
        .filter(folder -> Files.exists(folder.resolve(".git")))
        .findFirst();
  }

  private static NotesKb at(Path folder, Optional<Path> home, Settings settings) {
    Path real;
    try {
      real = folder.toRealPath();
    } catch (IOException e) {
      real = folder.toAbsolutePath().normalize(); // it may be mounted later
    }
    String name = real.getFileName() == null ? FOLDER : real.getFileName().toString();
    List<String> place = home.isEmpty() ? List.of("" + real) : List.of("" + real, MEMORY);
    Path cache = settings.cache().toAbsolutePath().normalize();
    Path log = cache.resolve(FOLDER).resolve(Sha256.of(place).substring(0, HASH_DIGITS));
    return new NotesKb(
        real,
        new Kb(log.resolve(home.isEmpty() ? name : MEMORY + "-" + name)),
        home,
        settings.notesItems());
  }

  /**
   * The notes that a knowledge base was made of; empty for one of helix. What a folder elsewhere
   * says about itself is not believed.
   */
  public static Optional<NotesKb> of(Kb kb, Settings settings) {
    if (!kb.folder().startsWith(settings.cache().toAbsolutePath().normalize().resolve(FOLDER))) {
      return Optional.empty();
    }
    return account(kb)
        .map(
            account ->
                at(
                    Path.of(account.path("folder").asText()),
                    Optional.ofNullable(account.get("home")).map(home -> Path.of(home.asText())),
                    settings))
        .filter(found -> found.kb().equals(kb));
  }

  private static Optional<JsonNode> account(Kb kb) {
    try {
      return Optional.of(Json.read(Files.readString(kb.folder().resolve(ACCOUNT)), JsonNode.class));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The last part of its path, as the folder of its log is called. */
  public String name() {
    return kb.folder().getFileName().toString();
  }

  /** The account of the files from the last time a log was made; empty before the first. */
  public Optional<NotesAccount> account() {
    try {
      JsonNode made = account(kb).map(json -> json.path(MADE)).orElse(MissingNode.getInstance());
      return made.isObject() ? Optional.of(Json.read(made, NotesAccount.class)) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** The same as it is written. */
  public String made() {
    return account(kb).map(json -> json.path(MADE).toString()).orElse("");
  }

  /** Makes the folder of the knowledge base, so that it is known what its log is made of. */
  public Kb make() {
    try {
      PrivateFiles.makeTrustedFolder(cache(), kb.folder());
      if (account(kb).isEmpty()) {
        write(new NotesAccount(0, 0, 0, LeftOut.NONE, LeftOut.NONE, List.of()));
      }
      return kb;
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  private Path cache() {
    return kb.folder().getParent().getParent().getParent();
  }

  private void write(NotesAccount made) throws IOException {
    ObjectNode json = Json.object().put("folder", notes.toString());
    home.ifPresent(one -> json.put("home", one.toString()));
    json.set(MADE, Json.of(made));
    AtomicFile.update(
        kb.folder().resolve(ACCOUNT),
        (json.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private Failure unwritable(IOException e) {
    return Failure.io(ExitCode.WRITE, "write " + kb.folder(), e, Failure.OTHER_CACHE);
  }

  /**
   * The notes as they are now, by names and times.
   *
   * @throws Failure with {@link ExitCode#KB} when there are none, or they cannot be read
   */
  public NoteFiles look() {
    try {
      if (home.isPresent()) {
        NoteFiles files = NoteFiles.ofMemory(home.get(), notes);
        if (files.files().isEmpty() && files.leftOut().isEmpty()) {
          throw new Failure(
              ExitCode.KB,
              "there are no memory files of agents in %s, and none of the usual ones in %s"
                  .formatted(notes, home.get()));
        }
        return files;
      }
      if (Files.isRegularFile(notes)) {
        return NoteFiles.of(notes);
      }
      if (!Files.isDirectory(notes)) {
        throw new Failure(
            ExitCode.KB, "no notes: " + notes + " is neither a folder nor a regular file");
      }
      NoteFiles files = NoteFiles.in(notes, cache());
      if (files.files().isEmpty() && files.leftOut().isEmpty()) {
        throw new Failure(
            ExitCode.KB,
            "there are no notes in " + notes + ": no file whose name ends in .md or .markdown");
      }
      return files;
    } catch (IOException e) {
      throw Failure.io(ExitCode.KB, "read the notes in " + notes, e);
    }
  }

  /** Whether the log was made of these very files. */
  public boolean isMadeOf(NoteFiles files) {
    try {
      return Files.exists(kb.dataLog())
          && Files.readString(kb.folder().resolve(SEEN), StandardCharsets.US_ASCII)
              .equals(seen(files));
    } catch (IOException e) {
      return false;
    }
  }

  private String seen(NoteFiles files) {
    return FORMAT + " " + items + " " + files.digest() + "\n";
  }

  /**
   * Makes the log of the files, or brings it up to date.
   *
   * @throws Failure with {@link ExitCode#WRITE} when the cache folder cannot be written, {@link
   *     ExitCode#BUSY} when another helix-bg is at it
   */
  public NotesAccount update(NoteFiles files) {
    Path folder = kb.folder();
    try {
      PrivateFiles.makeTrustedFolder(cache(), folder);
      try (ProcessLock lock =
          ProcessLock.take(folder.resolve(".notes.lock"), LOCK_WAIT)
              .orElseThrow(
                  () -> new Failure(ExitCode.BUSY, "another helix-bg is reading " + notes))) {
        boolean settled = files.newest().isBefore(Instant.now().minus(SETTLED));
        Files.deleteIfExists(folder.resolve(SEEN));
        // A check-out gives all files its own time.
        NotesAccount made =
            NotesLog.update(kb.dataLog(), files, repository(notes).isEmpty(), items);
        write(made);
        if (settled) {
          AtomicFile.replace(
              folder.resolve(SEEN),
              out -> out.write(seen(files).getBytes(StandardCharsets.US_ASCII)));
        }
        return made;
      }
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  /**
   * Brings the log up to date where the notes have changed.
   *
   * @return what became of the files; empty where nothing was to be done
   */
  public Optional<NotesAccount> refresh() {
    NoteFiles files = look();
    return isMadeOf(files) ? Optional.empty() : Optional.of(update(files));
  }
}
