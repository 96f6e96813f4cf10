package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.watch.KbCursor;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.review.ReviewHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a KB keeps beside its log, as anybody finds it at one moment.
 *
 * @param vectors of entries and passages, published or in a journal
 * @param lines that are complete, by the name of their file
 * @param files what tells such a file from one that replaced it
 */
record KeptFiles(
    Map<TextKey, float[]> vectors, Map<String, List<String>> lines, Map<String, Object> files) {
  static final String ANSWERS = "answers.jsonl";
  private static final List<String> SAID = List.of(ANSWERS, ReviewHistory.NAME, DecisionFile.NAME);

  /** Names of what is said, beside which a run from nothing begins. */
  static List<String> said() {
    return SAID;
  }

  /** Reads all of it, while others may write. */
  static KeptFiles of(Kb kb) throws IOException {
    Map<TextKey, float[]> vectors = new HashMap<>();
    EmbeddingCache cache = new EmbeddingCache(kb.folder());
    for (EmbeddingCache one : List.of(cache, cache.ofPassages())) {
      CacheContents cached = one.read();
      require(
          cached.state() != CacheContents.State.UNUSABLE, "vectors are lost: %s", cached.reason());
      vectors.putAll(cached.byKey());
    }
    Map<String, List<String>> lines = new TreeMap<>();
    Map<String, Object> files = new TreeMap<>();
    for (String name : SAID) {
      Path file = kb.insights().resolve(name);
      if (Files.exists(file)) {
        files.put(name, Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        String text = Files.readString(file);
        lines.put(name, text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
      }
    }
    return new KeptFiles(vectors, lines, files);
  }

  /**
   * All that was there still is, but for lines of a file that was written anew without what is
   * stale.
   *
   * @param wanted keys of the texts that the log has; nobody misses the vectors of others
   */
  void requireIn(KeptFiles after, Set<TextKey> wanted) {
    Set<TextKey> lost = new HashSet<>(vectors.keySet());
    lost.retainAll(wanted);
    lost.removeAll(after.vectors().keySet());
    require(lost.isEmpty(), "%d vectors that were on the disk were lost", lost.size());
    lines.forEach(
        (name, mine) ->
            require(
                !files.get(name).equals(after.files().get(name))
                    || new HashSet<>(after.lines().get(name)).containsAll(mine),
                "lines of %s are lost",
                name));
  }

  /**
   * Each file is an old one or a new one, and nothing between.
   *
   * @param kills so far, each of which may have torn a line and left four files in the making
   */
  static void requireWhole(Kb kb, int kills) throws IOException {
    TortureKb.requireWholeReports(kb.insights());
    for (String name : SAID) {
      Path file = kb.insights().resolve(name);
      if (Files.exists(file)) {
        long torn = Files.readAllLines(file).stream().filter(line -> !isJson(line)).count();
        require(torn <= kills, "%d lines of %s are torn", torn, name);
      }
    }
    Path cursor = kb.insights().resolve(KbCursor.NAME);
    require(!Files.exists(cursor) || isJson(Files.readString(cursor)), "the cursor is torn");
    try (Stream<Path> all = Files.walk(kb.folder())) {
      long left = all.filter(file -> file.toString().endsWith(".tmp")).count();
      require(left <= 4L * kills, "%d files in the making are left", left);
    }
  }

  private static boolean isJson(String text) {
    try {
      return new ObjectMapper().readTree(text).isObject();
    } catch (IOException e) {
      return false;
    }
  }
}
