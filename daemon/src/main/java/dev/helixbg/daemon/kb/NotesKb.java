package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.helixbg.insight.notes.MemoryFile;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

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

  /** Raised when the same files make another log, or are others. */
  private static final int FORMAT = 4;

  /** A file that changed more recently may change again without its times telling. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final Duration LOCK_WAIT = Duration.ofMinutes(2);
  private static final int HASH_DIGITS = 16;

  /** A folder of notes, or one file. */
  public static NotesKb at(Path folder, Settings settings) {
    return at(folder, Optional.empty(), settings);
  }

  /**
   * What coding agents keep of the user, and in the repository that a folder is in.
   *
   * @param here in the repository; where it is in none, that folder alone
   */
  public static NotesKb ofMemory(Path here, Path home, Settings settings) {
    Path top = here.toAbsolutePath().normalize();
    for (Path one = top; one != null; one = one.getParent()) {
      if (isTop(one)) {
        return at(one, Optional.of(home), settings);
      }
    }
    return at(top, Optional.of(home), settings);
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
      String json = Files.readString(kb.folder().resolve(ACCOUNT));
      return Optional.of(Json.read(json, JsonNode.class));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The last part of its path, as the folder of its log is called. */
  public String name() {
    return kb.folder().getFileName().toString();
  }

  /** What became of the files when the log was made; empty when it never was. */
  public Optional<NotesAccount> account() {
    return account(kb)
        .map(
            json ->
                new NotesAccount(
                    json.path("files").asInt(),
                    json.path("entries").asInt(),
                    json.path("empty").asInt(),
                    leftOut(json.path("leftOut")),
                    leftOut(json.path("repaired")),
                    memory(json.path("memory"))));
  }

  private static List<MemoryFile> memory(JsonNode json) {
    List<MemoryFile> files = new ArrayList<>();
    for (JsonNode one : json) {
      List<MemoryFile.IndexLine> index = new ArrayList<>();
      one.path("index")
          .forEach(
              line ->
                  index.add(
                      new MemoryFile.IndexLine(
                          line.path("line").asInt(),
                          line.path("target").asText(),
                          line.path("gone").asBoolean())));
      files.add(
          new MemoryFile(
              one.path("path").asText(),
              one.path("cut").asText(),
              one.path("entries").asInt(),
              one.path("lines").asInt(),
              one.path("characters").asInt(),
              one.path("tokens").asInt(),
              index));
    }
    return files;
  }

  private static ObjectNode toJson(MemoryFile file) {
    ObjectNode json =
        Json.object()
            .put("path", file.path())
            .put("cut", file.cut())
            .put("entries", file.entries())
            .put("lines", file.lines())
            .put("characters", file.characters())
            .put("tokens", file.tokens());
    return json.set(
        "index",
        Json.array(
            file.index(),
            line ->
                Json.object()
                    .put("line", line.line())
                    .put("target", line.target())
                    .put("gone", line.isGone())));
  }

  private static LeftOut leftOut(JsonNode json) {
    List<LeftOut.File> files = new ArrayList<>();
    json.path("files")
        .forEach(
            one ->
                files.add(new LeftOut.File(one.path("path").asText(), one.path("why").asText())));
    return new LeftOut(files, json.path("total").asInt());
  }

  private static ObjectNode toJson(LeftOut some) {
    ObjectNode json = Json.object().put("total", some.total());
    json.set(
        "files",
        Json.array(
            some.files(), one -> Json.object().put("path", one.path()).put("why", one.why())));
    return json;
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
    AtomicFile.update(
        kb.folder().resolve(ACCOUNT),
        (toJson(made).toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
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
        NotesAccount made = NotesLog.update(kb.dataLog(), files, !isInGit(), items);
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
   * @param reading is told how many files there are before they are read
   * @return what became of the files; empty where nothing was to be done
   */
  public Optional<NotesAccount> refresh(IntConsumer reading) {
    NoteFiles files = look();
    if (isMadeOf(files)) {
      return Optional.empty();
    }
    reading.accept(files.files().size());
    return Optional.of(update(files));
  }

  /** A check-out gives all files its own time. */
  private boolean isInGit() {
    for (Path folder = notes; folder != null; folder = folder.getParent()) {
      if (isTop(folder)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isTop(Path folder) {
    return Files.exists(folder.resolve(".git"));
  }

  private ObjectNode toJson(NotesAccount made) {
    ObjectNode json =
        Json.object()
            .put("folder", notes.toString())
            .put("files", made.files())
            .put("entries", made.entries())
            .put("empty", made.empty());
    home.ifPresent(one -> json.put("home", one.toString()));
    json.set("memory", Json.array(made.memory(), NotesKb::toJson));
    json.set("leftOut", toJson(made.leftOut()));
    return json.set("repaired", toJson(made.repaired()));
  }
}
