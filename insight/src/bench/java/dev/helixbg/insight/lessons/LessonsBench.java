package dev.helixbg.insight.lessons;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.findings.EmptyStore;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.Judgements.Lesson;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Measures which planted lessons a {@link LessonRun} finds in notes, and which other lessons it
 * reports. Readers take the place of the language model: they wrote a sentence for each note, seen
 * alone, and gave verdicts on pairs of these sentences ({@code src/judge/lessons/trial}).
 */
public final class LessonsBench {
  /**
   * Tried values of {@link LessonGroups#SHARE}. For each writer of notes, the value is chosen that
   * is best for the groups of the other writers.
   */
  private static final List<Double> SHARES = List.of(0.0, 0.25, 0.5, 0.75, 1.0);

  /** Minimum share of a found group's notes that must be in one planted group. */
  private static final double MOSTLY = 0.6;

  private static final int LEAST = 3;

  private final Path data;
  private final Path cache;
  private final int threads;
  private final List<NamedEntry> entries = new ArrayList<>();

  /** The planted group of each note; empty for a note without a group. */
  private final List<Optional<String>> groups = new ArrayList<>();

  private final List<String> sentences = new ArrayList<>();
  private final Map<String, String> verdicts = new HashMap<>();

  /** Groups of notes that were not planted, but that a reader called right. */
  private final List<Set<Integer>> read = new ArrayList<>();

  private final Map<String, Integer> byContent = new HashMap<>();
  private final Map<String, Integer> bySentence = new HashMap<>();
  private Optional<SentenceVectors> embedding = Optional.empty();
  private final Map<String, float[]> vectors = new HashMap<>();

  /**
   * What was found with one value of {@link LessonGroups#SHARE}.
   *
   * @param groups number of found groups
   * @param planted planted groups among them
   * @param read number of other groups that a reader called right
   * @param wrong number of all other groups
   */
  public record Named(double share, int groups, Set<String> planted, int read, int wrong) {}

  /**
   * The measurements on notes with planted lessons.
   *
   * @param notes number of notes
   * @param sentences number of readers' sentences that the program accepts as lessons
   * @param refused number of sentences that the program refuses
   * @param asked number of compared pairs of sentences
   * @param unread compared pairs without a reader's verdict; they count as different
   * @param planted number of planted groups
   * @param named result with the program's {@link LessonGroups#SHARE}
   * @param bounds results with all tried values
   * @param byWriter for each writer of notes, how many of his groups were found with the value that
   *     is best for the other writers
   */
  public record Result(
      int notes,
      int sentences,
      int refused,
      int asked,
      List<String> unread,
      int planted,
      Named named,
      List<Named> bounds,
      Map<String, HeldOut> byWriter) {}

  /**
   * The measurements on public notes.
   *
   * @param sentences number of readers' sentences that the program accepts as lessons
   * @param asked number of compared pairs of sentences
   * @param unread compared pairs without a reader's verdict; they count as different
   * @param named result with the program's {@link LessonGroups#SHARE}
   */
  public record PublicResult(int sentences, int asked, List<String> unread, Named named) {}

  /** A writer's planted and found groups, with a value chosen by other writers' groups. */
  public record HeldOut(double share, int planted, int named) {}

  private final Set<String> unread = new HashSet<>();
  private int refused;
  private int taken;
  private int asked;

  private LessonsBench(Path data, Path cache, int threads) {
    this.data = data;
    this.cache = cache;
    this.threads = threads;
  }

  /** Reads the notes among which lessons were planted. */
  private void readPlanted() throws IOException {
    Texts texts = new Texts(data);
    for (String line : Files.readAllLines(data.resolve("lessons/trial/sentences.tsv"))) {
      String[] row = line.split("\t");
      JsonNode note = texts.note(row[0]);
      add(note.get("topic").asText(), note.get("text").asText(), row[1]);
      groups.add(
          row[0].matches("[a-e]-\\d+ \\d+")
              ? Optional.of(row[0].substring(0, row[0].indexOf(' ')))
              : Optional.empty());
    }
    readVerdicts("verdicts.tsv", "read.tsv");
  }

  /**
   * Reads the sentences on public notes. The notes' paths replace their texts, which this
   * repository does not contain.
   */
  private void readPublic() throws IOException {
    for (String line : Files.readAllLines(data.resolve("lessons/trial/public.tsv"))) {
      String[] row = line.split("\t");
      add(row[0], row[0] + " " + row[1], row[2]);
      groups.add(Optional.empty());
    }
    readVerdicts("public-verdicts.tsv", "public-read.tsv");
  }

  private void add(String topic, String text, String sentence) {
    int number = entries.size();
    Entry entry = Entry.of(number, topic, text, 29_000_000 + number);
    entries.add(new NamedEntry(entry, number, "%032d".formatted(number), false));
    byContent.put(entry.text().content(), number);
    bySentence.put(sentence, number);
    sentences.add(sentence);
  }

  private void readVerdicts(String ofPairs, String ofGroups) throws IOException {
    for (String line : Files.readAllLines(data.resolve("lessons/trial").resolve(ofPairs))) {
      String[] row = line.split("\t");
      verdicts.put(pair(Integer.parseInt(row[0]), Integer.parseInt(row[1])), row[2]);
    }
    for (String line : Files.readAllLines(data.resolve("lessons/trial").resolve(ofGroups))) {
      read.add(new HashSet<>(Arrays.stream(line.split("\t")).map(Integer::valueOf).toList()));
    }
  }

  /** The notes for which there are sentences, by their place in the folder. */
  private static final class Texts {
    private final ObjectMapper parser = new ObjectMapper();
    private final Map<String, JsonNode> notes = new HashMap<>();

    Texts(Path data) throws IOException {
      for (Path file : jsonLines(data.resolve("lessons"))) {
        for (String line : Files.readAllLines(file)) {
          JsonNode group = parser.readTree(line);
          String id = group.get("id").asText();
          put(id + " ", group.get("notes"));
          put(id + " near ", group.get("near"));
        }
      }
      for (Path file : jsonLines(data.resolve("clusters"))) {
        String name = file.getFileName().toString().replace(".jsonl", "");
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
          JsonNode cluster = parser.readTree(lines.get(i));
          notes.put(
              name + " " + i,
              parser
                  .createObjectNode()
                  .put("topic", cluster.get("topic").asText())
                  .put("text", cluster.get("base").asText()));
        }
      }
    }

    private static List<Path> jsonLines(Path folder) throws IOException {
      try (var files = Files.list(folder)) {
        return files.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
      }
    }

    private void put(String name, JsonNode all) {
      for (int i = 0; i < all.size(); i++) {
        notes.put(name + i, all.get(i));
      }
    }

    JsonNode note(String name) {
      JsonNode note = notes.get(name);
      if (note == null) {
        throw new IllegalStateException("no note " + name);
      }
      return note;
    }
  }

  /**
   * Measures on notes with planted lessons.
   *
   * @param data the folder {@code insight/src/judge}
   * @throws IOException when it cannot be read
   */
  public static Result run(Path data, Path cache, int threads)
      throws IOException, InterruptedException {
    LessonsBench bench = new LessonsBench(data, cache, threads);
    bench.readPlanted();
    return bench.embedding(bench::measure);
  }

  /**
   * Measures on public notes, which have no planted lessons.
   *
   * @param data the folder {@code insight/src/judge}
   * @throws IOException when it cannot be read
   */
  public static PublicResult ofPublicNotes(Path data, Path cache, int threads)
      throws IOException, InterruptedException {
    LessonsBench bench = new LessonsBench(data, cache, threads);
    bench.readPublic();
    return bench.embedding(
        () -> {
          Named named = bench.named(LessonGroups.SHARE);
          return new PublicResult(
              bench.taken, bench.asked, bench.unread.stream().sorted().toList(), named);
        });
  }

  /** A measurement that needs the open embedding model. */
  private interface Measurement<T> {
    T run() throws IOException, InterruptedException;
  }

  private <T> T embedding(Measurement<T> measurement) throws IOException, InterruptedException {
    EmbedSettings bundled =
        new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256);
    try (Embedder embedder = EmbeddingModel.locate(bundled, cache, threads).open()) {
      embedding = Optional.of(texts -> List.of(embedder.embedAll(texts)));
      return measurement.run();
    }
  }

  /** Returns the reader's sentence for each note, by the note's text. */
  static Map<String, String> sentences(Path data) throws IOException {
    LessonsBench bench = new LessonsBench(data, data, 1);
    bench.readPlanted();
    Map<String, String> sentences = new HashMap<>();
    bench.byContent.forEach(
        (content, number) -> sentences.put(content, bench.sentences.get(number)));
    return sentences;
  }

  private Result measure() throws IOException, InterruptedException {
    List<Named> bounds = new ArrayList<>();
    for (double share : SHARES) {
      bounds.add(named(share));
    }
    Named own = bounds.get(SHARES.indexOf(LessonGroups.SHARE));
    Map<String, HeldOut> byWriter = new TreeMap<>();
    Set<String> planted = planted();
    for (String writer : List.of("a", "b", "c", "d", "e")) {
      Named best =
          bounds.stream()
              .reduce((one, other) -> worth(other, writer) > worth(one, writer) ? other : one)
              .orElseThrow();
      byWriter.put(
          writer,
          new HeldOut(
              best.share(),
              (int) planted.stream().filter(group -> group.startsWith(writer)).count(),
              (int) best.planted().stream().filter(group -> group.startsWith(writer)).count()));
    }
    return new Result(
        entries.size(),
        taken,
        refused,
        asked,
        unread.stream().sorted().toList(),
        planted.size(),
        own,
        bounds,
        byWriter);
  }

  /** Returns the number of found planted groups of other writers, minus the wrong groups. */
  private static int worth(Named named, String writer) {
    return (int) named.planted().stream().filter(group -> !group.startsWith(writer)).count()
        - named.wrong();
  }

  /** Returns the planted groups of which at least three notes are among the entries. */
  private Set<String> planted() {
    Map<String, Integer> counts = new TreeMap<>();
    groups.forEach(group -> group.ifPresent(one -> counts.merge(one, 1, Integer::sum)));
    counts.values().removeIf(count -> count < LEAST);
    return counts.keySet();
  }

  private Named named(double share) throws IOException, InterruptedException {
    asked = -entries.size();
    try (EmptyStore memory = EmptyStore.in(cache, AnswerStore.TABLE);
        QuestionSession asking =
            new QuestionSession(
                new AnswerStore(memory.database()),
                "readers",
                () -> (questions, cancelled) -> questions.stream().map(this::answer).toList(),
                Duration.ofDays(1),
                () -> 0,
                (_, _) -> (questions, _) -> asked += (int) questions,
                () -> false)) {
      List<Lesson> lessons = new LessonRun(asking, entries, this::vectors).ask(share);
      taken =
          (int)
              entries.stream()
                  .filter(
                      one ->
                          LessonText.of(
                                  sentences.get(number(one)), one.entry().topic(), content(one))
                              .isPresent())
                  .count();
      refused = (int) sentences.stream().filter(one -> !one.equals("-")).count() - taken;
      Set<String> planted = new HashSet<>();
      int right = 0;
      int wrong = 0;
      for (Lesson lesson : lessons) {
        Set<Integer> members =
            new HashSet<>(lesson.entries().stream().map(LessonsBench::number).toList());
        Optional<String> group = mostly(members);
        if (group.isPresent()) {
          planted.add(group.get());
        } else if (read.stream().anyMatch(one -> isMostOf(one, members))) {
          right++;
        } else {
          wrong++;
        }
      }
      return new Named(share, lessons.size(), planted, right, wrong);
    }
  }

  private List<float[]> vectors(List<String> texts) throws InterruptedException {
    List<String> missing = texts.stream().filter(text -> !vectors.containsKey(text)).toList();
    List<float[]> made = missing.isEmpty() ? List.of() : embedding.orElseThrow().of(missing);
    for (int i = 0; i < missing.size(); i++) {
      vectors.put(missing.get(i), made.get(i));
    }
    return texts.stream().map(vectors::get).toList();
  }

  private static int number(NamedEntry entry) {
    return entry.index();
  }

  private static String content(NamedEntry entry) {
    return entry.entry().text().content();
  }

  private Optional<String> mostly(Set<Integer> members) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    members.forEach(
        one -> groups.get(one).ifPresent(group -> counts.merge(group, 1, Integer::sum)));
    return counts.entrySet().stream()
        .filter(one -> one.getValue() >= LEAST && one.getValue() >= MOSTLY * members.size())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean isMostOf(Set<Integer> readGroup, Set<Integer> members) {
    long common = members.stream().filter(readGroup::contains).count();
    return common >= LEAST && common >= MOSTLY * members.size();
  }

  private Answer answer(Question question) {
    return switch (question) {
      case Question.LessonOf(_, String content) ->
          new Answer(sentences.get(byContent.get(content)), 1, "", 0, false);
      case Question.CompareLessons(String a, String b) -> {
        String pair = pair(bySentence.get(a), bySentence.get(b));
        String said = verdicts.get(pair);
        if (said == null) {
          unread.add(pair);
        }
        yield "y".equals(said)
            ? new Answer("same", 1, "different", 0, false)
            : new Answer("different", 1, "same", 0, false);
      }
      default -> throw new IllegalStateException("the readers have no answer to " + question);
    };
  }

  private static String pair(int a, int b) {
    return Math.min(a, b) + " " + Math.max(a, b);
  }
}
