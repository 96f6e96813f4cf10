package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests hostile files in a KB's folder: no trust, no writing through links, no hanging. */
@Timeout(120)
class ForeignKbTest {
  private static final String VICTIM = "alias ls='ls --color'\n";

  /** Files that earlier versions of helix-bg wrote into the folder of a KB. */
  private static final List<String> FORMER =
      List.of("embeddings.keys", "insights/answers.jsonl", "insights/decisions.jsonl");

  /** Files that helix-bg now writes into the folder of a KB. */
  private static final List<String> OUTPUTS =
      List.of(
          "embeddings.bin", "insights/report.html", "insights/report.md", "insights/report.json");

  /** Names of files in a store, which have no meaning in the folder of a KB. */
  private static final List<String> OF_THE_STORE =
      List.of("kb.db", "kb.db-wal", "decisions.json", "place.json", "run.lock", "insights/kb.db");

  enum Hostile {
    HARD_LINK_TO_THE_LOG,
    LINK_TO_THE_LOG,
    LINK_OUT_OF_THE_FOLDER,
    DANGLING_LINK,
    PIPE,
    DIRECTORY,
    SOCKET,
    SPARSE_FILE,
    READ_ONLY_FILE,
    PROSE
  }

  @TempDir Path folder;

  private Path victim;
  private WritableKb writer;
  private Kb kb;

  @BeforeEach
  void write() throws IOException {
    victim = Files.writeString(folder.resolve(".zshrc"), VICTIM);
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 10);
    writer.append("twins", "the same words");
    writer.append("twins", "the same words");
    kb = writer.kb();
    Files.createDirectory(kb.insights());
  }

  private void put(Hostile hostile, Path at) throws IOException, InterruptedException {
    switch (hostile) {
      case HARD_LINK_TO_THE_LOG -> Files.createLink(at, kb.dataLog());
      case LINK_TO_THE_LOG -> Files.createSymbolicLink(at, kb.dataLog());
      case LINK_OUT_OF_THE_FOLDER -> Files.createSymbolicLink(at, victim);
      case DANGLING_LINK -> Files.createSymbolicLink(at, folder.resolve("authorized_keys"));
      case PIPE -> assertEquals(0, new ProcessBuilder("mkfifo", at.toString()).start().waitFor());
      case DIRECTORY -> Files.createDirectories(at.resolve("not empty"));
      case SOCKET -> bind(at);
      case SPARSE_FILE -> {
        try (RandomAccessFile file = new RandomAccessFile(at.toFile(), "rw")) {
          file.setLength(15L << 40);
        }
      }
      case READ_ONLY_FILE ->
          OnDisk.setMode(Files.writeString(at, "{\"id\":\"copies-0000000000\"}\n"), "r--r--r--");
      case PROSE -> Files.writeString(at, "{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"\"}\n[]\n");
    }
  }

  private static void bind(Path at) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(at));
    }
  }

  /** Uses a KB as users do: a run, a daemon, the list of findings, a decision, another run. */
  private List<String> doEverything() throws Exception {
    Settings settings = DaemonFixture.settings(folder, Map.of());
    try (KbStores stores = new KbStores(settings, notice -> {})) {
      KbStore store = stores.of(kb);
      DaemonFixture.oneShot(settings, store);
      DaemonFixture daemon = new DaemonFixture(folder, kb);
      daemon.run(Duration.ofMinutes(2));
      assertEquals(Optional.empty(), daemon.watch.trouble());
      List<ReportedFinding> found = store.report().list().findings();
      assertEquals(0, store.decisions().read().settled().size(), "none of them is ours");
      String id = found.getFirst().id();
      store
          .decisions()
          .add(List.of(new Decision(id, Decision.Outcome.DISMISSED, Instant.EPOCH, "")));
      DaemonFixture.oneShot(settings, store);
      daemon.run(Duration.ofMinutes(2));
      daemon.assertAsFromNothing(folder.resolve("fresh"));
      assertTrue(store.report().list().find(id).isEmpty());
      return found.stream().map(ReportedFinding::id).toList();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whateverLiesThereChangesNothing(Hostile hostile) throws Exception {
    for (List<String> names : List.of(FORMER, OF_THE_STORE, OUTPUTS)) {
      for (String name : names) {
        if (hostile != Hostile.DIRECTORY
            || names != OUTPUTS) { // a folder in the way causes an error message
          put(hostile, kb.folder().resolve(name));
        }
      }
    }
    byte[] log = Files.readAllBytes(kb.dataLog());
    Object before = outsideTimes(hostile);
    List<String> found = doEverything();
    assertArrayEquals(log, Files.readAllBytes(kb.dataLog()));
    assertEquals(before, outsideTimes(hostile));
    assertEquals(VICTIM, Files.readString(victim));
    assertTrue(Files.notExists(folder.resolve("authorized_keys")));
    assertTrue(found.stream().anyMatch(id -> id.startsWith("copies-")), found.toString());
    for (String name : hostile == Hostile.DIRECTORY ? List.<String>of() : OUTPUTS) {
      assertTrue(
          Files.isRegularFile(kb.folder().resolve(name), LinkOption.NOFOLLOW_LINKS),
          name + " was not replaced");
    }
    for (String name : FORMER) {
      assertTrue(
          Files.exists(kb.folder().resolve(name), LinkOption.NOFOLLOW_LINKS),
          name + " was not left alone");
    }
  }

  /**
   * Returns the log's attributes. If an output replaces a hard link to the log, the log's ctime
   * changes, so it is left out.
   */
  private Object outsideTimes(Hostile hostile) throws IOException {
    String ctime = hostile == Hostile.HARD_LINK_TO_THE_LOG ? "" : "ctime,";
    return Files.readAttributes(kb.dataLog(), "unix:ino," + ctime + "lastModifiedTime,size,mode");
  }

  @Test
  void theDaemonsOwnFilesAreForItsUserAloneAndFollowNoLinks() throws Exception {
    DaemonHome home = new DaemonHome(folder.resolve("home"));
    home.lock().close();
    assertEquals("rwx------", OnDisk.mode(home.folder()));
    Path lock = home.folder().resolve("helix-bg.lock");
    assertEquals("rw-------", OnDisk.mode(lock));
    Files.delete(lock);
    Files.createSymbolicLink(lock, victim);
    assertEquals(ExitCode.WRITE, assertThrows(Failure.class, home::lock).code());
  }
}
