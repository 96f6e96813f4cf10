package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.Console;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A folder of Markdown notes, or one file, that is read as a knowledge base. The log made from the
 * notes is in the cache folder at {@code notes/HASH/NAME}. Beside it, the file {@value #ACCOUNT}
 * (the account) has the notes' path and the files that were left out. The file {@value #SEEN} has a
 * digest of the notes' names and times. Only {@code tidy} and {@code act} change the notes.
 *
 * @param notes the folder or file, as a real path if it exists
 * @param home the user's home if the memory files of coding agents are read; else empty
 * @param items tells which lists in the notes are divided into items; each item becomes an entry
 */
public record NotesKb(Path notes, Kb kb, Optional<Path> home, NotesItems items) {
  private static final String FOLDER = "notes";

  private static final String MEMORY = "memory";

  private static final String ACCOUNT = "notes.json";
  private static final String SEEN = "notes.seen";

  // Fields of the account file.
  private static final String NOTES = "folder";
  private static final String HOME = "home";
  private static final String MADE = "made";

  /**
   * Version of the conversion from notes to a log, raised when the same notes make a different log.
   */
  private static final int FORMAT = 11;

  /** Longest time between two changes of a file that may get the same modification time. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final Duration LOCK_WAIT = Duration.ofMinutes(2);
  private static final int HASH_DIGITS = 16;

  public static NotesKb at(Path folder, Settings settings) {
    return at(folder, Optional.empty(), settings);
  }

  /**
   * Returns the KB made from the memory files of coding agents in the user's home and in the
   * repository that contains {@code here}. Without a repository, {@code here} takes its place.
   */
  public static NotesKb ofMemory(Path here, Path home, Settings settings) {
    Path folder = here.toAbsolutePath().normalize();
    return at(NoteFiles.top(folder).orElse(folder), Optional.of(home), settings);
  }

  private static NotesKb at(Path folder, Optional<Path> home, Settings settings) {
    Path real;
    try {
      real = folder.toRealPath();
    } catch (IOException e) {
      real = folder.toAbsolutePath().normalize(); // the folder may be mounted later
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

  /** Returns the notes that a KB in the cache folder was made from; empty for other KBs. */
  public static Optional<NotesKb> of(Kb kb, Settings settings) {
    if (!kb.folder().startsWith(settings.cache().toAbsolutePath().normalize().resolve(FOLDER))) {
      return Optional.empty();
    }
    Map<String, String> places = places(kb);
    return Optional.ofNullable(places.get(NOTES))
        .map(
            notes ->
                at(Path.of(notes), Optional.ofNullable(places.get(HOME)).map(Path::of), settings))
        .filter(found -> found.kb().equals(kb));
  }

  /**
   * Returns the text fields of the account file; empty if the file cannot be read. Uses no
   * ObjectMapper, which would take 40 ms.
   */
  private static Map<String, String> places(Kb kb) {
    Map<String, String> texts = new HashMap<>();
    try (JsonParser json =
        new JsonFactory().createParser(Files.readAllBytes(kb.folder().resolve(ACCOUNT)))) {
      json.nextToken();
      for (String name; (name = json.nextFieldName()) != null; ) {
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          texts.put(name, json.getText());
        } else {
          json.skipChildren();
        }
      }
      return json.currentToken() == JsonToken.END_OBJECT ? texts : Map.of();
    } catch (IOException e) {
      return Map.of();
    }
  }

  public String name() {
    return kb.folder().getFileName().toString();
  }

  /** Returns the option that names these notes, for a command run in their folder. */
  public String again() {
    String file = Files.isRegularFile(notes) ? notes.getFileName().toString() : ".";
    return home.isPresent() ? "--memory" : "--notes " + Console.shellWord(file);
  }

  /**
   * Returns the account (numbers and lists of files) of the log's last update. All numbers are 0
   * before the first update.
   */
  public Optional<NotesAccount> account() {
    try {
      JsonNode made = Json.read(made(), JsonNode.class).path(MADE);
      return made.isObject() ? Optional.of(Json.read(made, NotesAccount.class)) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** Returns the JSON of the account file; empty if the file cannot be read. */
  public String made() {
    try {
      return Files.readString(kb.folder().resolve(ACCOUNT));
    } catch (IOException e) {
      return "";
    }
  }

  /** Makes the folder of the KB with its account, before the log exists. */
  public Kb make() {
    try {
      PrivateFiles.makeTrustedFolder(cache(), kb.folder());
      if (!places(kb).containsKey(NOTES)) {
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
    ObjectNode json = Json.object().put(NOTES, notes.toString());
    home.ifPresent(one -> json.put(HOME, one.toString()));
    json.set(MADE, Json.of(made));
    AtomicFile.update(
        kb.folder().resolve(ACCOUNT),
        (json.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private Failure unwritable(IOException e) {
    return Failure.io(ExitCode.WRITE, "write " + kb.folder(), e, Failure.OTHER_CACHE);
  }

  /** Returns names and times of the notes; throws a {@link Failure} if no notes can be read. */
  public NoteFiles look() {
    try {
      if (home.isPresent()) {
        return some(
            NoteFiles.ofMemory(home.get(), notes),
            "there are no memory files of coding agents in %s, nor at their usual places in %s"
                .formatted(notes, home.get()));
      }
      if (Files.isRegularFile(notes)) {
        return NoteFiles.of(notes);
      }
      if (!Files.isDirectory(notes)) {
        throw new Failure(
            ExitCode.KB, "no notes: " + notes + " is neither a folder nor a regular file");
      }
      NoteFiles found = NoteFiles.in(notes, cache());
      return some(
          found,
          "there are no notes in "
              + notes
              + ": no file whose name ends in .md or .markdown, and no memory file of a coding"
              + " agent"
              + (found.ignoredByGit() == 0
                  ? ""
                  : "; git ignores %,d of its files and folders; to read one, name it with --notes"
                      .formatted(found.ignoredByGit())));
    } catch (IOException e) {
      throw Failure.io(ExitCode.KB, "read the notes in " + notes, e);
    }
  }

  private static NoteFiles some(NoteFiles found, String otherwise) {
    if (found.isEmpty()) {
      throw new Failure(ExitCode.KB, otherwise);
    }
    return found;
  }

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
   * Makes or updates the log from the files. Fails if the cache cannot be written, or another
   * helix-bg updates the log.
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
        // A git checkout sets the times of all files, so the times of files in a repository do not
        // tell when notes were written.
        boolean timed = NoteFiles.repository(notes).isEmpty();
        NotesAccount made = NotesLog.update(kb.dataLog(), files, timed, items);
        write(made);
        if (settled) {
          AtomicFile.update(folder.resolve(SEEN), seen(files).getBytes(StandardCharsets.US_ASCII));
        }
        return made;
      }
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  /** Updates the log if the notes have changed; empty if they have not. */
  public Optional<NotesAccount> refresh() {
    NoteFiles files = look();
    return isMadeOf(files) ? Optional.empty() : Optional.of(update(files));
  }
}
