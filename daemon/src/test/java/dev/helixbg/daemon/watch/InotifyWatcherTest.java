package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.kb.Kb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hints of the real system, whatever happens to the folder. */
@Timeout(600)
class InotifyWatcherTest {
  @TempDir Path folder;

  private final BlockingQueue<Object> told = new LinkedBlockingQueue<>();
  private volatile Error error;
  @AutoClose private final InotifyWatcher hints = new InotifyWatcher(this::tell);

  @BeforeEach
  void onLinux() {
    assumeTrue(InotifyWatcher.areThere(), "no inotify here");
  }

  private void tell() {
    if (error != null) {
      throw error;
    }
    told.add("a hint");
  }

  private Kb kb(String name) throws IOException {
    Kb kb = new Kb(Files.createDirectories(folder.resolve(name)));
    Files.writeString(kb.dataLog(), "AMRL");
    return kb;
  }

  private Kb followed(String name) throws IOException {
    Kb kb = kb(name);
    assertTrue(hints.follow(kb));
    return kb;
  }

  private static void append(Kb kb) throws IOException {
    Files.writeString(kb.dataLog(), "x", StandardOpenOption.APPEND);
  }

  private void awaitHint() throws InterruptedException {
    assertNotNull(told.poll(30, TimeUnit.SECONDS));
  }

  /** After what has happened so far nothing more is told. Returns how many hints were left. */
  private int settle() throws InterruptedException {
    int hints = 0;
    while (told.poll(4 * InotifyWatcher.TOGETHER.toMillis(), TimeUnit.MILLISECONDS) != null) {
      hints++;
    }
    return hints;
  }

  @Test
  void eachChangeOfALogIsTold() throws Exception {
    Kb one = followed("one");
    Kb two = followed("two");
    append(one);
    awaitHint();
    append(two);
    awaitHint();
    Path next = Files.writeString(two.folder().resolve("data.log.new"), "AMRL2");
    Files.move(next, two.dataLog(), StandardCopyOption.ATOMIC_MOVE);
    awaitHint();
    settle();
    Files.delete(one.dataLog());
    awaitHint();
    Files.writeString(one.dataLog(), "AMRL");
    awaitHint();
  }

  @Test
  void otherFilesAreNoHintAndManyWritesAreOne() throws Exception {
    Kb kb = followed("kb");
    Files.writeString(kb.folder().resolve("embeddings.bin"), "ours");
    Files.writeString(kb.folder().resolve(".lock"), "helix's");
    assertNull(told.poll(500, TimeUnit.MILLISECONDS));
    long start = System.nanoTime();
    int writes = 0;
    long millis = 0;
    for (; millis < 1_000; writes++) {
      append(kb);
      millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
    awaitHint();
    int hints = 1 + settle();
    long most = 2 + millis / InotifyWatcher.TOGETHER.toMillis();
    assertTrue(writes > most && hints <= most, hints + " hints, " + writes + " writes");
  }

  @Test
  void aFolderThatIsRemovedOrReplacedIsFollowedAgain() throws Exception {
    Kb kb = followed("kb");
    Files.delete(kb.dataLog());
    Files.delete(kb.folder());
    awaitHint(); // so that it is looked at
    settle();
    assertFalse(hints.follow(kb), "there is nothing to follow");
    kb("kb");
    while (!hints.follow(kb)) {
      Thread.sleep(10);
    }
    append(kb);
    awaitHint();
    settle();

    Files.move(kb.folder(), folder.resolve("moved"));
    kb("kb");
    assertTrue(hints.follow(kb));
    settle();
    append(kb);
    awaitHint();
  }

  @Test
  void whenEventsWereLostThatIsAHint() throws Exception {
    Kb kb = followed("kb");
    Path other = kb.folder().resolve("other");
    Object hint = null;
    // The JDK gives up counting after 512 events that nobody took.
    for (int round = 0; hint == null && round < 100; round++) {
      for (int i = 0; i < 2_000; i++) {
        Files.createFile(other);
        Files.delete(other);
      }
      hint = told.poll(200, TimeUnit.MILLISECONDS);
    }
    assertNotNull(hint, "nobody would look, although the log may have changed");
  }

  @Test
  void aLogElsewhereCannotBeFollowed() throws Exception {
    Kb kb = kb("kb");
    Kb link = new Kb(Files.createDirectories(folder.resolve("link")));
    Files.createSymbolicLink(link.dataLog(), kb.dataLog());
    assertFalse(hints.follow(link), "inotify tells of the folder where the file is");
  }

  @Test
  void aFolderBehindALinkIsFollowed() throws Exception {
    Kb kb = kb("kb");
    Kb link = new Kb(Files.createSymbolicLink(folder.resolve("link"), kb.folder()));
    assertTrue(hints.follow(link));
    append(kb);
    awaitHint();
  }

  /** A later look at the KB asks for hints anew, as each does. */
  @Test
  void anErrorOfTheJvmKeepsNoLaterHintAway() throws Exception {
    Kb kb = kb("kb");
    error = new NoClassDefFoundError("of a test");
    assertTrue(hints.follow(kb));
    append(kb);
    assertNull(told.poll(500, TimeUnit.MILLISECONDS));
    error = null;
    Object hint = null;
    for (int look = 0; hint == null && look < 60; look++) { // the error may only come now
      assertTrue(hints.follow(kb));
      append(kb);
      hint = told.poll(500, TimeUnit.MILLISECONDS);
    }
    assertNotNull(hint);
  }

  @Test
  void closedItTellsNothing() throws Exception {
    Kb kb = followed("kb");
    hints.close();
    append(kb);
    assertNull(told.poll(300, TimeUnit.MILLISECONDS));
    assertFalse(hints.follow(kb));
  }
}
