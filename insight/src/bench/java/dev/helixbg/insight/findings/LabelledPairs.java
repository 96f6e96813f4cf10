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
 * Pairs of entries of which somebody wrote down how they are related, and how many of them the
 * first pairs of a list name.
 *
 * <p>The file: a pair a line, the word for its {@link Truth} and the names or ids of two entries,
 * parted by tabs; lines that are empty or begin with {@code #} are passed over.
 */
public final class LabelledPairs {
  private static final long LARGEST_FILE = 16 << 20;

  /** Of what a message repeats of a file. */
  private static final int EXCERPT = 100;

  /** How two entries are related. */
  public enum Truth {
    SAME,
    OVERTAKEN,
    RELATED,
    LOOKALIKE;

    /** As the file has it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether such a pair is what a reader looks for. */
    boolean isWorthAnAct() {
      return this == SAME || this == OVERTAKEN;
    }
  }

  /**
   * What the first pairs of a list name.
   *
   * @param ranking what the list is ranked by
   * @param pairs at most so many
   * @param precision pairs worth an act, of those listed; what the file does not name is not
   * @param recall pairs worth an act, of all in the file
   */
  public record Row(
      String ranking, int pairs, Map<Truth, Integer> found, Share precision, Share recall) {}

  /** By the names of both. */
  private final Map<Set<String>, Truth> truths = new HashMap<>();

  private final int entries;

  private LabelledPairs(int entries) {
    this.entries = entries;
  }

  /**
   * @throws IOException that says what is wrong, and in which line
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
      throw new IOException(file + " names no pair that is the same or overtaken");
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
      throw new IOException("it is not a word and two entries, parted by tabs");
    }
    Truth truth =
        Arrays.stream(Truth.values())
            .filter(one -> one.word().equals(fields[0]))
            .findFirst()
            .orElseThrow(
                () ->
                    new IOException(
                        "it begins with none of "
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
      throw new IOException("an earlier line says " + before.word() + " of this pair");
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

  /** How many there are of each. */
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

  /** Of the first 10, 20, 50, and a tenth and half as many pairs as there are entries. */
  public List<Row> rows(String ranking, List<Finding.Relation> list) {
    return IntStream.of(10, 20, 50, entries / 10, entries / 2)
        .filter(most -> most > 0)
        .sorted()
        .distinct()
        .mapToObj(most -> row(ranking, list.subList(0, Math.min(most, list.size())), most))
        .toList();
  }

  /** What the order gains by the answers of an agent that knows the file. */
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
