package dev.helixbg.daemon.kb;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.decisions.DecisionStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The stores of a user's knowledge bases: folders {@code kb/HASH} in the folder of the setting
 * {@code state}. {@code HASH} is a hash of the real path of the KB's folder, or of the notes'
 * folder.
 *
 * <p>The file {@value #PLACE} has the KB's path, its former paths, and a hash of the log's
 * beginning. A KB without a store counts as a moved KB if a store has noted the hash of its log's
 * beginning, and the KB is gone from the path that this store has noted. If a KB appears again at a
 * former path, for instance on a disk that was not mounted, its new store gets a copy of the
 * decisions from the moved KB's store.
 */
public final class KbStores implements AutoCloseable {
  private static final String FOLDER = "kb";
  private static final String PLACE = "place.json";
  private static final String FORMER_PLACES = "former";
  private static final int HASH_DIGITS = 16;

  /** Maximum number of bytes at the beginning of a log that identify a moved KB. */
  private static final int HEAD_BYTES = 1 << 16;

  /** Minimum number of these bytes; a shorter beginning may be the same in many logs. */
  private static final int LEAST_HEAD_BYTES = 64;

  private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

  /** Files that earlier versions of helix-bg wrote into a KB's folder. */
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

  /** {@code notices} receives messages for the user, for instance that a KB was moved. */
  public KbStores(Settings settings, Consumer<String> notices) {
    this.state = settings.state();
    this.settings = settings;
    this.notices = notices;
  }

  /** Starts a thread that loads the classes of stores while the command line is parsed. */
  public static void prepare() {
    FutureTask<Void> loading =
        new FutureTask<>(
            () -> {
              try (JsonParser json = new JsonFactory().createParser(new byte[] {'{', '}'})) {
                json.nextToken();
              }
              Database.loadClasses();
              return null;
            });
    Thread.ofPlatform().daemon().name("classes").start(loading);
  }

  /**
   * The real path that identifies a store. It is the path of the KB's folder, of the notes, or of
   * the repository whose memory files are read.
   */
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

  /** The beginning of a log: the number of its bytes, and their hash. */
  private record Head(int bytes, String sha256) {
    static Head of(Path log, int most) throws IOException {
      try (InputStream in = Files.newInputStream(log)) {
        byte[] head = in.readNBytes(most);
        return new Head(head.length, Sha256.of(head));
      }
    }
  }

  /**
   * Returns the store of a KB, which is opened once. Fails if its folder cannot be made or is not
   * private.
   */
  public synchronized KbStore of(Kb kb) {
    KbStore known = open.get(kb);
    if (known != null && !isOf(known.folder(), kb)) {
      known.close();
      open.remove(kb);
    }
    return open.computeIfAbsent(kb, this::open);
  }

  /**
   * Whether a store belongs to the folder to which a KB's path leads now. A KB whose folder is
   * missing keeps its store, because the folder may be mounted again. A KB made from notes keeps
   * its store, because no symbolic link leads to such a KB.
   */
  private boolean isOf(Path store, Kb kb) {
    return Files.isDirectory(store)
        && (Files.notExists(kb.folder())
            || kb.folder().startsWith(settings.cache().toAbsolutePath().normalize())
            || store.equals(folder(place(kb))));
  }

  private KbStore open(Kb kb) {
    Place place = place(kb);
    try {
      Database.prepare(settings.cache());
    } catch (IOException e) {
      throw new Failure(ExitCode.MODEL, e.getMessage());
    }
    try {
      PrivateFiles.makeSecretFolder(state);
      PrivateFiles.makeFolder(state.resolve(FOLDER));
      Path folder = folder(place);
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        make(kb, place, folder);
      }
      return KbStore.open(kb, folder, settings.cache(), notices, () -> noteBeginning(kb, folder));
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "use the folder that holds the stores of all knowledge bases, " + state,
          e,
          "To use another folder, set state = \"...\"");
    }
  }

  private Place place(Kb kb) {
    try {
      return Place.of(kb, settings);
    } catch (IOException e) {
      throw Failure.io(ExitCode.KB, "read the folder of the knowledge base, " + kb.folder(), e);
    }
  }

  private Path folder(Place place) {
    List<String> parts = place.isMemory ? List.of(place.path, "memory") : List.of(place.path);
    return state.resolve(FOLDER).resolve(Sha256.of(parts).substring(0, HASH_DIGITS));
  }

  /** Whether a knowledge base has a store; creates nothing. */
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
        return; // another process has just made the folder
      }
      // the store of a KB that was moved to this place
      Optional<Path> former = lastUsed(store -> isLeft(store) && beginsAs(kb, store));
      if (former.isPresent()) {
        String before = noted(former.get()).path("place").asText();
        Files.move(former.get(), folder);
        notices.accept(
            "%s was formerly at %s: its store, with your decisions, now belongs to the new path"
                .formatted(place.path, before));
      } else {
        Optional<Path> heir = lastUsed(store -> wasAt(store, place) && beginsAs(kb, store));
        Path made = folder.resolveSibling(folder.getFileName() + ".new");
        PrivateFiles.makeFolder(made);
        if (heir.isPresent()) {
          copyDecisions(heir.get(), made, place);
        }
        Files.move(made, folder); // in one step, so that no half copy counts as the store
        tellOfFormerFiles(kb);
      }
      note(kb, place, folder);
    }
  }

  private void copyDecisions(Path from, Path to, Place place) throws IOException {
    Path decisions = from.resolve(DecisionStore.COPY);
    if (Files.exists(decisions)) {
      Files.copy(decisions, to.resolve(DecisionStore.COPY), COPY_ATTRIBUTES, REPLACE_EXISTING);
      notices.accept(
          ("there is a knowledge base at %s again. Its new store gets a copy of your decisions; its"
                  + " former store, with the original decisions, now belongs to %s")
              .formatted(place.path, noted(from).path("place").asText()));
    }
  }

  private Optional<Path> lastUsed(Predicate<Path> condition) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> stores = Files.newDirectoryStream(state.resolve(FOLDER))) {
      for (Path store : stores) {
        if (condition.test(store)) {
          found.add(store);
        }
      }
    }
    return found.stream()
        .max(Comparator.comparing(store -> store.resolve(PLACE).toFile().lastModified()));
  }

  private static boolean wasAt(Path store, Place place) {
    return noted(store)
        .path(FORMER_PLACES)
        .valueStream()
        .anyMatch(former -> former.asText().equals(place.path));
  }

  /** Whether there is no longer a KB at the path that a store has noted. */
  private static boolean isLeft(Path store) {
    JsonNode json = noted(store);
    Path place;
    try {
      place = Path.of(json.path("place").asText());
    } catch (InvalidPathException e) {
      return false; // the locale cannot express the path
    }
    boolean wasLog = !json.path("notes").asBoolean();
    return json.has("place")
        && (Files.notExists(place) || wasLog && Files.notExists(place.resolve(Kb.DATA_LOG)));
  }

  /** Whether the hash noted in a store matches the beginning of a KB's log. */
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

  /**
   * Returns the content of a store's file {@value #PLACE}; an empty object if it cannot be read.
   */
  private static JsonNode noted(Path store) {
    try {
      return Json.read(Files.readString(store.resolve(PLACE)), JsonNode.class);
    } catch (IOException e) {
      return Json.object();
    }
  }

  /** Updates the hash of a log's beginning, which changes when helix compacts the log. */
  private void noteBeginning(Kb kb, Path folder) {
    try {
      Place place = Place.of(kb, settings);
      if (folder.equals(folder(place))) { // a symbolic link may lead to another KB by now
        note(kb, place, folder);
      }
    } catch (IOException e) {
      // The file keeps its earlier content. Unless the log's beginning changed, a move of the KB is
      // still noticed.
    }
  }

  private static void note(Kb kb, Place place, Path folder) throws IOException {
    JsonNode before = noted(folder);
    Set<String> former = new LinkedHashSet<>();
    before.path(FORMER_PLACES).valueStream().forEach(one -> former.add(one.asText()));
    former.add(before.path("place").asText(place.path));
    former.remove(place.path);
    Head head = Files.exists(kb.dataLog()) ? Head.of(kb.dataLog(), HEAD_BYTES) : new Head(0, "");
    String json =
        Json.object()
                .put("place", place.path)
                .put("notes", place.isOfNotes)
                .put("headBytes", head.bytes())
                .put("headSha256", head.sha256())
                .<ObjectNode>set(FORMER_PLACES, Json.texts(former))
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
          ("these files in %s come from an older helix-bg; they are no longer read and can be"
                  + " deleted: %s")
              .formatted(kb.folder(), String.join(", ", there)));
    }
  }

  /** Closes all stores; a store that is needed later is opened again. */
  @Override
  public synchronized void close() {
    open.values().forEach(KbStore::close);
    open.clear();
  }
}
