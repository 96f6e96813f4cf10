package dev.helixbg.insight.findings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Pairs of entries whose true relation is known from a file. They show how many of the first pairs
 * of a ranked list are worth an act.
 *
 * <p>Each line of the file has three fields, separated by tabs: the word for a {@link Truth}, and
 * the names or keys of two entries. Empty lines, and lines that begin with {@code #}, are skipped.
 */
public final class LabelledPairs {
  private static final long LARGEST_FILE = 16 << 20;

  /** Maximum length, in UTF-16 units, of a text that a message quotes from the file. */
  private static final int EXCERPT = 100;

  /** The true relation of two entries. */
  public enum Truth {
    SAME,
    OVERTAKEN,
    RELATED,
    LOOKALIKE;

    /** Returns the word that the file uses for this relation. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether one entry of such a pair can be removed. */
    boolean isWorthAnAct() {
      return this == SAME || this == OVERTAKEN;
    }
  }

  /**
   * The known pairs among the first pairs of a ranked list.
   *
   * @param ranking name of the score that orders the list
   * @param pairs maximum number of first pairs
   * @param found number of pairs of each relation
   * @param precision share of the listed pairs that are worth an act; pairs that the file lacks
   *     count as not worth an act
   * @param recall share of the file's pairs worth an act that are listed
   */
  public record Row(
      String ranking, int pairs, Map<Truth, Integer> found, Share precision, Share recall) {}

  /** Relation of each pair, by the names of its two entries. */
  private final Map<Set<String>, Truth> truths = new HashMap<>();

  private final int entries;

  private LabelledPairs(int entries) {
    this.entries = entries;
  }

  /**
   * Reads the file.
   *
   * @throws IOException when the file is wrong; the message describes the mistake and its line
   */
  public static LabelledPairs read(Path file, List<NamedEntry> entries) throws IOException {
    LabelledPairs pairs = new LabelledPairs(entries.size());
    Map<String, String> names = new HashMap<>();
    entries.forEach(entry -> names.putIfAbsent(entry.key(), entry.name()));
    entries.forEach(entry -> names.put(entry.name(), entry.name()));
    List<String> lines = lines(file);
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank() && !lines.get(i).startsWith("#")) {
        try {
          pairs.add(lines.get(i).strip().split("\t"), names);
        } catch (IOException e) {
          throw new IOException("%s, line %d: %s".formatted(file, i + 1, e.getMessage()), e);
        }
      }
    }
    if (pairs.worthAnAct() == 0) {
      throw new IOException(file + " has no pair that is 'same' or 'overtaken'");
    }
    return pairs;
  }

  private static List<String> lines(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is not a file");
    }
    if (Files.size(file) > LARGEST_FILE) {
      throw new IOException(file + " is larger than 16 MiB");
    }
    try {
      return Files.readAllLines(file);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8", e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file, e);
    }
  }

  private void add(String[] fields, Map<String, String> names) throws IOException {
    if (fields.length != 3) {
      throw new IOException("it does not have a word and two entries, separated by tabs");
    }
    Truth truth =
        Arrays.stream(Truth.values())
            .filter(one -> one.word().equals(fields[0]))
            .findFirst()
            .orElseThrow(
                () ->
                    new IOException(
                        "its first word is none of "
                            + Arrays.stream(Truth.values())
                                .map(Truth::word)
                                .collect(Collectors.joining(", "))));
    String one = entry(fields[1], names);
    String other = entry(fields[2], names);
    if (one.equals(other)) {
      throw new IOException("it names one entry twice");
    }
    Truth before = truths.put(Set.of(one, other), truth);
    if (before != null && before != truth) {
      throw new IOException("an earlier line calls this pair '" + before.word() + "'");
    }
  }

  private static String entry(String named, Map<String, String> names) throws IOException {
    String name = names.get(named.strip());
    if (name == null) {
      throw new IOException(
          "there is no entry " + named.substring(0, Math.min(EXCERPT, named.length())));
    }
    return name;
  }

  /** Returns the number of pairs of each relation. */
  public Map<Truth, Integer> counts() {
    return counted(new ArrayList<>(truths.values()));
  }

  private int worthAnAct() {
    return (int) truths.values().stream().filter(Truth::isWorthAnAct).count();
  }

  private static Map<Truth, Integer> counted(List<Truth> some) {
    Map<Truth, Integer> counts = new EnumMap<>(Truth.class);
    for (Truth truth : Truth.values()) {
      counts.put(truth, (int) some.stream().filter(truth::equals).count());
    }
    return counts;
  }

  /**
   * Returns rows for the first 10, 20 and 50 pairs, and for as many pairs as a tenth and a half of
   * the number of entries.
   */
  public List<Row> rows(String ranking, List<Finding.Relation> list) {
    return IntStream.of(10, 20, 50, entries / 10, entries / 2)
        .filter(most -> most > 0)
        .sorted()
        .distinct()
        .mapToObj(most -> row(ranking, list.subList(0, Math.min(most, list.size())), most))
        .toList();
  }

  /** Returns how the order improves by the answers of an agent that knows the file. */
  public List<LearningBench.Gain> gains(LearningBench.Ranking ranking) {
    return LearningBench.of(
        ranking,
        pair -> {
          Truth truth = truths.get(Set.of(pair.a().name(), pair.b().name()));
          return truth != null && truth.isWorthAnAct();
        });
  }

  private Row row(String ranking, List<Finding.Relation> first, int most) {
    List<Truth> found = new ArrayList<>();
    for (Finding.Relation pair : first) {
      Truth truth = truths.get(Set.of(pair.a().name(), pair.b().name()));
      if (truth != null) {
        found.add(truth);
      }
    }
    int acts = (int) found.stream().filter(Truth::isWorthAnAct).count();
    return new Row(
        ranking,
        most,
        counted(found),
        new Share(acts, first.size()),
        new Share(acts, worthAnAct()));
  }
}
