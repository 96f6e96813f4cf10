package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The stores of a user's knowledge bases, in the folder that the setting {@code state} names: one
 * folder each, at {@code kb/HASH}. A KB is known by the real path of its folder. Where it is made
 * of notes, it is known by the real path of the notes' folder.
 *
 * <p>{@value #PLACE} in a store says whose it is, and how the log began. By that a store follows a
 * KB that was moved: the place that it names is gone, and the log in the new place begins the same.
 */
public final class KbStores implements AutoCloseable {
  private static final String FOLDER = "kb";
  private static final String PLACE = "place.json";
  private static final int HASH_DIGITS = 16;

  /** Bytes of a log's beginning that are compared. */
  private static final int HEAD_BYTES = 1 << 16;

  /** A shorter beginning could be that of any log. */
  private static final int LEAST_HEAD_BYTES = 64;

  private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

  /** Files that helix-bg wrote into a KB's folder before it had a store. */
  private static final List<String> FORMER =
      List.of(
          "embeddings.keys",
          "embeddings.keys.next",
          "embeddings.journal",
          "passages.bin",
          "passages.keys",
          "passages.keys.next",
          "passages.journal",
          "insights/answers.jsonl",
          "insights/readings.jsonl",
          "insights/history.jsonl",
          "insights/decisions.jsonl",
          "insights/cursor.json",
          "insights/seal.json",
          "insights/.helix-bg.lock",
          "insights/.helix-bg.append.lock");

  private final Path state;
  private final Settings settings;
  private final Consumer<String> notices;
  private final Map<Kb, KbStore> open = new HashMap<>();

  /**
   * @param notices is told, in a sentence, what became of a store
   */
  public KbStores(Settings settings, Consumer<String> notices) {
    this.state = settings.state();
    this.settings = settings;
    this.notices = notices;
  }

  /** Where a KB is: its folder, or that of its notes or of agents' memory, without links. */
  private record Place(String path, boolean isOfNotes, boolean isMemory) {
    static Place of(Kb kb, Settings settings) throws IOException {
      Optional<NotesKb> notes = NotesKb.of(kb, settings);
      if (notes.isPresent()) {
        return new Place(notes.get().notes().toString(), true, notes.get().home().isPresent());
      }
      Path folder = kb.folder();
      return new Place(
          (Files.exists(folder) ? folder.toRealPath() : folder).toString(), false, false);
    }
  }

  /**
   * The beginning of a log.
   *
   * @param bytes that were read of it
   */
  private record Head(int bytes, String sha256) {
    static Head of(Path log, int most) throws IOException {
      try (InputStream in = Files.newInputStream(log)) {
        byte[] head = in.readNBytes(most);
        return new Head(head.length, Sha256.of(head));
      }
    }
  }

  /**
   * The store of a knowledge base, which is opened once and closed with this.
   *
   * @throws Failure with {@link ExitCode#WRITE} when the folder cannot be made or is not private
   */
  public synchronized KbStore of(Kb kb) {
    KbStore known = open.get(kb);
    if (known != null && !Files.isDirectory(known.folder())) {
      known.close(); // the KB has moved, or the folder was deleted
      open.remove(kb);
    }
    return open.computeIfAbsent(kb, this::open);
  }

  /** Begins to open the store of a known KB, beside what is to be done before it is used. */
  public void openAhead(Kb kb) {
    Thread.ofPlatform()
        .daemon()
        .name("store")
        .start(
            () -> {
              try {
                if (contains(kb)) {
                  of(kb).report().origin();
                }
              } catch (RuntimeException e) {
                // The next use of it says what is wrong.
              }
            });
  }

  private KbStore open(Kb kb) {
    try {
      Database.prepare(settings.cache());
      PrivateFiles.makeSecretFolder(state);
      PrivateFiles.makeFolder(state.resolve(FOLDER));
      Place place = Place.of(kb, settings);
      Path folder = folder(place);
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        make(kb, place, folder);
      }
      return new KbStore(kb, folder, notices, () -> noteBeginning(kb, folder));
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "use the folder of what is known of knowledge bases, " + state,
          e,
          "Another one: state = \"...\"");
    }
  }

  private Path folder(Place place) {
    List<String> parts = place.isMemory ? List.of(place.path, "memory") : List.of(place.path);
    return state.resolve(FOLDER).resolve(Sha256.of(parts).substring(0, HASH_DIGITS));
  }

  /** Whether something is known of a knowledge base; makes nothing. */
  public boolean contains(Kb kb) {
    try {
      return Files.isDirectory(folder(Place.of(kb, settings)), LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      return false;
    }
  }

  private void make(Kb kb, Place place, Path folder) throws IOException {
    try (ProcessLock lock =
        ProcessLock.take(state.resolve("stores.lock"), LOCK_WAIT)
            .orElseThrow(() -> new IOException("another helix-bg keeps it locked"))) {
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        return; // another process made it just now
      }
      Optional<Path> former = movedFrom(kb);
      if (former.isPresent()) {
        String before = noted(former.get()).path("place").asText();
        Files.move(former.get(), folder);
        notices.accept(
            "%s was %s before: what is known of it, decisions too, came along"
                .formatted(place.path, before));
      } else {
        PrivateFiles.makeFolder(folder);
        tellOfFormerFiles(kb);
      }
      note(kb, place, folder);
    }
  }

  /** The store of a KB that is not in its place any more and whose log began as this one does. */
  private Optional<Path> movedFrom(Kb kb) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> stores = Files.newDirectoryStream(state.resolve(FOLDER))) {
      for (Path store : stores) {
        if (isLeft(store) && beginsAs(kb, store)) {
          found.add(store);
        }
      }
    }
    return found.stream()
        .max(Comparator.comparing(store -> store.resolve(PLACE).toFile().lastModified()));
  }

  /** Whether nothing is any more where the KB of a store was. */
  private static boolean isLeft(Path store) throws IOException {
    JsonNode json = noted(store);
    Path place = Path.of(json.path("place").asText());
    boolean wasLog = !json.path("notes").asBoolean();
    return json.has("place")
        && (Files.notExists(place) || wasLog && Files.notExists(place.resolve(Kb.DATA_LOG)));
  }

  private static boolean beginsAs(Kb kb, Path store) {
    try {
      JsonNode json = noted(store);
      int bytes = json.path("headBytes").asInt();
      return bytes >= LEAST_HEAD_BYTES
          && Head.of(kb.dataLog(), bytes).equals(new Head(bytes, json.path("headSha256").asText()));
    } catch (IOException e) {
      return false;
    }
  }

  /** An empty object where nothing that can be read was noted. */
  private static JsonNode noted(Path store) throws IOException {
    try {
      String noted = new String(Files.readAllBytes(store.resolve(PLACE)), StandardCharsets.UTF_8);
      return Json.read(noted, JsonNode.class);
    } catch (NoSuchFileException | JacksonException e) {
      return Json.object();
    }
  }

  /** Notes how a log begins now: helix may have compacted it since. */
  private void noteBeginning(Kb kb, Path folder) {
    try {
      note(kb, Place.of(kb, settings), folder);
    } catch (IOException e) {
      // The note of before stays: a move is still seen unless the beginning changed.
    }
  }

  private static void note(Kb kb, Place place, Path folder) throws IOException {
    Head head = Files.exists(kb.dataLog()) ? Head.of(kb.dataLog(), HEAD_BYTES) : new Head(0, "");
    String json =
        Json.object()
                .put("place", place.path)
                .put("notes", place.isOfNotes)
                .put("headBytes", head.bytes())
                .put("headSha256", head.sha256())
                .toPrettyString()
            + "\n";
    AtomicFile.update(folder.resolve(PLACE), json.getBytes(StandardCharsets.UTF_8));
  }

  private void tellOfFormerFiles(Kb kb) {
    List<String> there =
        FORMER.stream()
            .filter(name -> Files.exists(kb.folder().resolve(name), LinkOption.NOFOLLOW_LINKS))
            .toList();
    if (!there.isEmpty()) {
      notices.accept(
          "these files in %s are of an older helix-bg, are not read any more and can be deleted: %s"
              .formatted(kb.folder(), String.join(", ", there)));
    }
  }

  /** Closes the stores; those that are asked for later are opened anew. */
  @Override
  public synchronized void close() {
    open.values().forEach(KbStore::close);
    open.clear();
  }
}
