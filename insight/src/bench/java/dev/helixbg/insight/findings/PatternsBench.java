package dev.helixbg.insight.findings;

import dev.helixbg.config.EmbedSettings;
import dev.helixbg.config.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.EmbedSettings.Precision;
import dev.helixbg.config.InsightSettings;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.SampleKb;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures which recurring patterns are found: groups of notes, written by hand, that say one
 * lesson in several voices and topics, and near-groups that say none.
 */
public final class PatternsBench {
  private static final String FOLDER = "/patterns-kb/";

  /** The knowledge bases in which groups are planted. */
  public enum Kb {
    /** In a KB of their own, of 219 short notes. */
    APART(""),
    /**
     * 46 short notes among those of {@link FindingsBench}, on which weight and bound were chosen.
     */
    AMONG("among-");

    private final String prefix;

    Kb(String prefix) {
      this.prefix = prefix;
    }

    private String notes() throws IOException {
      String own = resource(prefix + "notes.md");
      return this == APART ? own : FindingsBench.source() + own;
    }

    private String truth() throws IOException {
      return resource(prefix + "truth.tsv");
    }
  }

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");
  private static final InsightSettings SETTINGS =
      new InsightSettings(0.60, 0.92, 20, 0.75, 50, 0.05, 20, false);
  private static final EmbedSettings BUNDLED =
      new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256);

  /**
   * @param groups planted; one is found where a pattern has three of it or more, and more than half
   *     of it, and consists of it by more than half
   * @param near near-groups; one is named where a pattern has three of it or more
   * @param others patterns of which neither is true
   */
  public record Result(int entries, int groups, int found, int near, int named, int others) {}

  private final List<NamedEntry> entries;
  private final Map<String, NamedEntry> byTime = new HashMap<>();

  private PatternsBench(List<Entry> entries) {
    this.entries =
        NamedEntry.all(entries, entry -> TextKey.of("patterns-kb", entry.embeddedText()).hex());
    for (NamedEntry one : this.entries) {
      LocalDateTime time =
          LocalDateTime.ofEpochSecond(one.entry().timestampMin() * 60L, 0, ZoneOffset.UTC);
      byTime.put(one.entry().topic() + "@" + TIME.format(time), one);
    }
  }

  /**
   * Runs the analysis with the vectors of the bundled model.
   *
   * @param cache folder in which the model may be unpacked
   */
  public static Result run(Kb kb, Path cache, int threads)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(Files.createDirectories(cache), "patterns-kb", ".log");
    try {
      Files.write(log, SampleKb.build(kb.notes()));
      PatternsBench bench = new PatternsBench(DataLog.read(log).entries());
      return bench.result(bench.analysed(cache, threads).patterns(), kb.truth());
    } finally {
      Files.delete(log);
    }
  }

  private Findings analysed(Path cache, int threads) throws InterruptedException {
    List<String> texts = entries.stream().map(one -> one.entry().embeddedText()).toList();
    float[][] vectors = new float[texts.size()][];
    try (Embedder embedder = EmbeddingModel.locate(BUNDLED, cache).open(threads)) {
      embedder.embed(texts, (i, vector) -> vectors[i] = vector.clone());
    }
    return Analysis.run(
        entries, Vectors.of(Arrays.asList(vectors)), PassageVectors.NONE, SETTINGS, threads);
  }

  private Result result(List<Finding.Pattern> patterns, String truth) {
    List<Set<NamedEntry>> groups = new ArrayList<>();
    List<Set<NamedEntry>> near = new ArrayList<>();
    for (String line : truth.lines().toList()) {
      String[] fact = line.split("\t");
      Set<NamedEntry> members = new HashSet<>();
      for (int i = 1; i < fact.length; i++) {
        if (!members.add(byTime.get(fact[i])) || members.contains(null)) {
          throw new IllegalStateException("the truth names " + fact[i] + " wrongly");
        }
      }
      (fact[0].equals("group") ? groups : near).add(members);
    }
    return new Result(
        entries.size(),
        groups.size(),
        (int) groups.stream().filter(g -> patterns.stream().anyMatch(p -> isOf(p, g))).count(),
        near.size(),
        (int) near.stream().filter(n -> patterns.stream().anyMatch(p -> names(p, n))).count(),
        (int)
            patterns.stream()
                .filter(p -> groups.stream().noneMatch(g -> isOf(p, g)))
                .filter(p -> near.stream().noneMatch(n -> names(p, n)))
                .count());
  }

  private static boolean isOf(Finding.Pattern pattern, Set<NamedEntry> group) {
    long both = both(pattern, group);
    return both >= 3 && 2 * both > group.size() && 2 * both > pattern.entries().size();
  }

  private static boolean names(Finding.Pattern pattern, Set<NamedEntry> near) {
    return both(pattern, near) >= 3;
  }

  private static long both(Finding.Pattern pattern, Set<NamedEntry> members) {
    return pattern.entries().stream().filter(members::contains).count();
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = PatternsBench.class.getResourceAsStream(FOLDER + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
