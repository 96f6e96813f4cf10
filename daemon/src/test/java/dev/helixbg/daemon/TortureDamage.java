package dev.helixbg.daemon;

import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Cuts a file of a KB or of its store at any length, or flips any bit, then runs one-shot or a
 * daemon. Successive seeds take the files in turn. For each file, they go through all cuts and bits
 * in a scattered order, without repetition.
 */
final class TortureDamage extends TortureArea {
  private static final String LOG = "kb/data.log";
  private static final String DATABASE = "kb.db";
  private static final String COPY = "decisions.json";

  /** Step between the cases of a file: a prime larger than their number. */
  private static final long STRIDE = 2_147_483_647L;

  private static final int SAID = 4;

  private final Path folder;
  private final FaultyDisk disk = new FaultyDisk(); // causes no faults here, and does not sync
  private final TortureKb told;

  /** Paths of the files to damage, relative to the template's folder. */
  private final List<String> files;

  private final List<Entry> entries;
  private final Map<String, Long> cases = new TreeMap<>();

  TortureDamage(Path folder) throws Exception {
    this.folder = folder;
    Path live = Files.createDirectories(folder.resolve("live"));
    Path kb = Files.createDirectories(live.resolve("kb"));
    TortureKb.begin(kb);
    told = new TortureKb(disk.of(kb), kb, live);
    told.oneShot();
    for (int i = 0; i < SAID; i++) {
      told.say(i);
    }
    told.append(3);
    told.oneShot();
    String store = live.relativize(ProgramStores.folder(live.resolve("state"), kb)).toString();
    files =
        List.of(
            LOG,
            store + "/" + DATABASE,
            store + "/" + COPY,
            store + "/place.json",
            "kb/embeddings.bin",
            "kb/insights/report.json",
            "kb/insights/report.html",
            "kb/insights/report.md");
    for (String name : files) {
      require(Files.exists(live.resolve(name)), "%s was not made", name);
      cases.put(name, 9 * Files.size(live.resolve(name)));
    }
    entries = DataLog.read(kb.resolve("data.log")).entries();
    TortureFiles.copy(live, folder.resolve("template"));
  }

  @Override
  void run(long seed) throws Exception {
    String name = files.get((int) Math.floorMod(seed, (long) files.size()));
    long all = cases.get(name);
    long index = Math.floorMod(Math.floorMod(seed / files.size(), all) * STRIDE, all);
    Path live = folder.resolve("live");
    Torture.delete(live);
    TortureFiles.copy(folder.resolve("template"), live);
    byte[] bytes = Files.readAllBytes(live.resolve(name));
    int place = (int) (index < bytes.length ? index : (index - bytes.length) / 8);
    byte[] damaged;
    if (index < bytes.length) {
      damaged = Arrays.copyOf(bytes, place);
    } else {
      damaged = bytes.clone();
      damaged[place] ^= (byte) (1 << (index - bytes.length) % 8);
    }
    Files.write(live.resolve(name), damaged);
    if (name.equals(LOG)) {
      TortureKb.age(live.resolve(name), 1);
    }
    String shown = name.substring(name.lastIndexOf('/') + 1);
    count(shown);
    try {
      look(live, name, place, seed / files.size() % 2 == 0);
    } catch (RuntimeException | AssertionError e) {
      throw new IllegalStateException(
          "%s %s %d of %d"
              .formatted(
                  shown,
                  index < bytes.length ? "cut at" : "with a flipped bit in byte",
                  place,
                  bytes.length),
          e);
    }
  }

  private void look(Path live, String name, int place, boolean asDaemon)
      throws IOException, InterruptedException {
    Path kb = live.resolve("kb");
    TortureKb broken = new TortureKb(disk.of(kb), kb, live);
    broken.decisions.addAll(told.decisions);
    broken.answers.addAll(told.answers);
    if (name.equals(LOG)) {
      if (!isReadable(kb.resolve("data.log"), place)) {
        refused(broken, live);
        return;
      }
    } else {
      broken.append(1);
    }
    byte[] log = Files.readAllBytes(kb.resolve("data.log"));
    if (asDaemon) {
      DaemonFixture daemon = broken.daemon();
      daemon.run(TortureKb.A_WHILE);
      daemon.stores.close();
    } else {
      broken.oneShot();
    }
    require(Arrays.equals(log, Files.readAllBytes(kb.resolve("data.log"))), "data.log was written");
    broken.requireAcknowledged();
    if (!name.endsWith(DATABASE)) {
      broken.requireAnswers();
    }
    broken.requireAsFromNothing(folder.resolve("fresh"));
    broken.say(99);
    broken.requireAcknowledged();
  }

  /**
   * Whether the log can be read. Requires all entries before the damage, except one that a damaged
   * delete may remove.
   */
  private boolean isReadable(Path log, int place) {
    List<Entry> found;
    try {
      found = DataLog.read(log).entries();
    } catch (DataLogException e) {
      require(place < 8, "a log is refused: %s", e.getMessage());
      return false;
    }
    Set<String> texts = new HashSet<>();
    found.forEach(entry -> texts.add(entry.offset() + entry.embeddedText()));
    int lost = 0;
    for (int i = 0; i + 1 < entries.size() && entries.get(i + 1).offset() <= place; i++) {
      Entry entry = entries.get(i);
      lost += texts.contains(entry.offset() + entry.embeddedText()) ? 0 : 1;
    }
    require(lost <= 1, "%d entries before the damage are lost", lost);
    return true;
  }

  /** Checks that an unreadable log causes one clear error, and that nothing is deleted. */
  private void refused(TortureKb broken, Path live) throws IOException, InterruptedException {
    try {
      broken.oneShot();
      throw new IllegalStateException("a log that cannot be read is reported on");
    } catch (DataLogException e) {
      broken.requireAcknowledged();
      broken.requireAnswers();
      for (String name : files) {
        require(
            !name.startsWith("kb/")
                || name.equals(LOG)
                || Files.mismatch(folder.resolve("template").resolve(name), live.resolve(name)) < 0,
            "%s was written although the log cannot be read",
            name);
      }
    }
  }
}
