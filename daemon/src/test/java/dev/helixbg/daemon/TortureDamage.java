package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.HistoryLines;
import dev.helixbg.insight.review.Review;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Cuts a file of a KB at any length, or flips any bit of it, and then runs one-shot or a daemon.
 * Seeds one after the other go through all files in turn, and through all cuts and bits of each in
 * a scattered order, without repeating any.
 */
final class TortureDamage implements TortureArea {
  private static final List<String> FILES =
      List.of(
          "data.log",
          "embeddings.bin",
          "embeddings.keys",
          "embeddings.journal",
          "insights/answers.jsonl",
          "insights/decisions.jsonl",
          "insights/history.jsonl",
          "insights/cursor.json",
          "insights/seal.json",
          "insights/report.json",
          "insights/report.html",
          "insights/report.md");

  /** A prime, beyond any number of cases of a file. */
  private static final long STRIDE = 2_147_483_647L;

  private static final int SAID = 4;

  private final Path folder;
  private final FaultyDisk disk = new FaultyDisk(); // without faults: it only syncs nothing
  private final Path template;
  private final TortureKb told;
  private final List<Entry> entries;
  private final Map<String, Long> counts = new TreeMap<>();
  private final Map<String, Long> cases = new TreeMap<>();

  TortureDamage(Path folder) throws Exception {
    this.folder = folder;
    template = Files.createDirectories(folder.resolve("template"));
    TortureKb.begin(template);
    told = new TortureKb(disk.of(template), template, folder);
    told.oneShot(Saving.PUBLISHED);
    for (int i = 0; i < SAID; i++) {
      told.say(i);
    }
    told.append(3);
    told.daemon().run(Duration.ofSeconds(20)); // not long enough to publish vectors
    for (String name : FILES) {
      require(Files.exists(template.resolve(name)), "%s was not made", name);
      cases.put(name, 9 * Files.size(template.resolve(name)));
    }
    entries = DataLog.read(template.resolve("data.log")).entries();
  }

  @Override
  public void run(long seed) throws Exception {
    String name = FILES.get((int) Math.floorMod(seed, (long) FILES.size()));
    long all = cases.get(name);
    long index = Math.floorMod(Math.floorMod(seed / FILES.size(), all) * STRIDE, all);
    Path kb = folder.resolve("kb");
    Torture.delete(kb);
    TortureFiles.copy(template, kb);
    byte[] bytes = Files.readAllBytes(kb.resolve(name));
    int place = (int) (index < bytes.length ? index : (index - bytes.length) / 8);
    byte[] damaged;
    if (index < bytes.length) {
      damaged = Arrays.copyOf(bytes, place);
    } else {
      damaged = bytes.clone();
      damaged[place] ^= (byte) (1 << (index - bytes.length) % 8);
    }
    Files.write(kb.resolve(name), damaged);
    if (name.equals("data.log")) {
      TortureKb.age(kb.resolve(name), 1);
    }
    counts.merge(name, 1L, Long::sum);
    try {
      look(kb, name, place, damaged, index < bytes.length, seed / FILES.size() % 2 == 0);
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "%s %s %d of %d"
              .formatted(
                  name,
                  index < bytes.length ? "cut at" : "with a flipped bit in byte",
                  place,
                  bytes.length),
          e);
    }
  }

  private void look(Path kb, String name, int place, byte[] damaged, boolean cut, boolean asDaemon)
      throws IOException, InterruptedException {
    TortureKb broken = new TortureKb(disk.of(kb), kb, folder);
    if (name.equals("data.log") && !isReadable(kb.resolve(name), place)) {
      refused(broken, kb);
      return;
    }
    if (asDaemon) {
      broken.daemon().run(TortureKb.A_WHILE);
    } else {
      broken.oneShot(Saving.PUBLISHED);
    }
    broken.requireAsFromNothing(folder.resolve("fresh"));
    if (name.endsWith(".jsonl")) {
      require(
          Arrays.equals(damaged, Files.readAllBytes(kb.resolve(name))),
          "a run wrote to what it cannot make anew");
      appended(kb, cut);
    }
    Path log =
        name.equals("data.log") ? folder.resolve("fresh/data.log") : template.resolve("data.log");
    require(Files.mismatch(log, kb.resolve("data.log")) < 0, "data.log was written");
  }

  /** Everything before the damage is found, but for an entry that a damaged delete may hit. */
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

  /** What cannot be read is one clear error, and nothing is thrown away because of it. */
  private void refused(TortureKb broken, Path kb) throws IOException, InterruptedException {
    try {
      broken.oneShot(Saving.PUBLISHED);
      throw new IllegalStateException("a log that cannot be read is reported on");
    } catch (DataLogException e) {
      for (String name : FILES.subList(1, FILES.size())) {
        require(
            Arrays.equals(
                Files.readAllBytes(template.resolve(name)), Files.readAllBytes(kb.resolve(name))),
            "%s was written although the log cannot be read",
            name);
      }
    }
  }

  /** One line or two are lost, and what is said from now on is not. */
  private void appended(Path kb, boolean cut) throws IOException {
    Path insights = kb.resolve("insights");
    TortureKb next = new TortureKb(disk.of(kb), kb, folder);
    next.say(99);
    require(next.decisions.size() + next.reviews.size() + next.answers.size() == 4, "not kept");
    next.requireAcknowledged();
    Decisions kept = new DecisionFile(insights).read();
    long decisions = told.decisions.stream().filter(d -> kept.on(d.id()).isEmpty()).count();
    List<Review> reviews = new ArrayList<>(told.reviews);
    reviews.removeAll(HistoryLines.of(insights));
    Set<AnswerFile.Id> answers = new HashSet<>(told.answers);
    answers.removeAll(
        new AnswerFile(insights.resolve("answers.jsonl"), false)
            .find(Set.copyOf(told.answers))
            .keySet());
    long lost = decisions + reviews.size() + answers.size();
    require(cut || lost <= 2, "a flipped bit costs %d lines", lost);
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }
}
