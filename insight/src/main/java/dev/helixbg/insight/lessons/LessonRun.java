package dev.helixbg.insight.lessons;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.Judgements.Lesson;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.lessons.NearestSentences.Pair;
import dev.helixbg.insight.log.EntryText.Link;
import dev.helixbg.insight.similarity.Middle;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Asks a language model for the lesson of each entry, in one sentence that is clear without the
 * entry. Then finds lessons that recur: the model is asked whether two similar sentences state the
 * same rule. The entries themselves are not compared, because entries that teach one lesson may
 * have very different subjects (decision 105).
 *
 * @param entries the entries, ordered by offset
 * @param left the number of questions that were not asked, for each kind that has such questions
 */
public record LessonRun(
    QuestionSession asking,
    List<NamedEntry> entries,
    SentenceVectors embedding,
    Map<QuestionKind, Integer> left) {

  static final String SAME = "same";

  /**
   * A sentence is compared further with at most this number of members that follow it in its group.
   */
  private static final int COMPARED = 8;

  private record Told(NamedEntry entry, String sentence) {}

  public LessonRun(QuestionSession asking, List<NamedEntry> entries, SentenceVectors embedding) {
    this(asking, entries, embedding, new EnumMap<>(QuestionKind.class));
  }

  /**
   * Asks all questions that have no stored answer, about the newest entries first. If the time of
   * the run ends, the next run asks the rest.
   *
   * @throws InterruptedException when interrupted; all answers so far are saved
   */
  public List<Lesson> ask() throws InterruptedException {
    return ask(LessonGroups.SHARE);
  }

  /**
   * Asks for the lesson of each entry, the newest entry first. Returns a map from each lesson to an
   * entry that teaches it.
   */
  public Map<String, NamedEntry> tellers() throws InterruptedException {
    Map<String, NamedEntry> tellers = new LinkedHashMap<>();
    told().forEach(one -> tellers.put(one.sentence(), one.entry()));
    return tellers;
  }

  List<Lesson> ask(double share) throws InterruptedException {
    List<Told> told = told();
    List<String> sentences = told.stream().map(Told::sentence).distinct().toList();
    Map<String, float[]> vectors = vectors(sentences, embedding);
    List<float[]> rows = told.stream().map(one -> vectors.get(one.sentence())).toList();
    List<Lesson> lessons = new ArrayList<>();
    for (List<Integer> members : LessonGroups.of(same(told, rows), share)) {
      List<Told> group = members.stream().map(told::get).toList();
      if (!isGathered(group)) {
        lessons.add(lesson(group, vectors));
      }
    }
    lessons.sort(
        Comparator.comparingInt(Lesson::topics)
            .thenComparingInt(lesson -> lesson.entries().size())
            .reversed()
            .thenComparing(Lesson::id));
    return lessons;
  }

  /** Returns a vector for each sentence, embedded with the word {@code lesson} as its topic. */
  static Map<String, float[]> vectors(List<String> sentences, SentenceVectors embedding)
      throws InterruptedException {
    List<float[]> made =
        sentences.isEmpty()
            ? List.of()
            : embedding.of(sentences.stream().map(one -> "lesson " + one).toList());
    Map<String, float[]> vectors = new HashMap<>();
    for (int i = 0; i < sentences.size(); i++) {
      vectors.put(sentences.get(i), made.get(i));
    }
    return vectors;
  }

  /** Returns the entries that have a lesson; skips entries with the content of an earlier entry. */
  private List<Told> told() throws InterruptedException {
    Map<String, NamedEntry> byContent = new LinkedHashMap<>();
    entries.forEach(entry -> byContent.putIfAbsent(entry.content(), entry));
    List<NamedEntry> distinct = List.copyOf(byContent.values());
    note(
        QuestionKind.LESSON,
        asking.ask(distinct.reversed().stream().map(LessonRun::question).toList()));
    List<Told> told = new ArrayList<>();
    for (NamedEntry entry : distinct) {
      asking
          .find(question(entry))
          .flatMap(said -> LessonText.of(said.text(), entry.topic(), entry.content()))
          .ifPresent(sentence -> told.add(new Told(entry, sentence)));
    }
    return told;
  }

  private static Question question(NamedEntry entry) {
    return new Question.LessonOf(entry.topic(), entry.content());
  }

  private Set<Pair> same(List<Told> told, List<float[]> rows) throws InterruptedException {
    List<String> topics = told.stream().map(one -> one.entry().topic()).toList();
    List<Pair> near = NearestSentences.of(Vectors.of(rows), topics);
    int open = ask(told, near);
    Set<Pair> same = new HashSet<>(sameOf(told, near));
    List<Pair> doubtful = new ArrayList<>();
    for (List<Integer> group : LessonGroups.connected(same)) {
      doubtful.addAll(notCompared(group, new HashSet<>(near)));
    }
    open += ask(told, doubtful);
    same.addAll(sameOf(told, doubtful));
    note(QuestionKind.RULE, open);
    return same;
  }

  /** Returns pairs of a group's members that were not compared yet, a few pairs for each member. */
  private static List<Pair> notCompared(List<Integer> group, Set<Pair> compared) {
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < group.size(); i++) {
      for (int j = i + 1; j < Math.min(group.size(), i + 1 + COMPARED); j++) {
        Pair pair = Pair.of(group.get(i), group.get(j));
        if (!compared.contains(pair)) {
          pairs.add(pair);
        }
      }
    }
    return pairs;
  }

  private int ask(List<Told> told, List<Pair> pairs) throws InterruptedException {
    return asking.ask(
        pairs.stream().map(pair -> question(told, pair)).filter(one -> !isOne(one)).toList());
  }

  private static Question.CompareLessons question(List<Told> told, Pair pair) {
    return new Question.CompareLessons(
        told.get(pair.a()).sentence(), told.get(pair.b()).sentence());
  }

  private List<Pair> sameOf(List<Told> told, List<Pair> pairs) {
    return pairs.stream().filter(pair -> isSame(question(told, pair))).toList();
  }

  private boolean isSame(Question.CompareLessons both) {
    return isOne(both) || asking.find(both).filter(LessonRun::isSame).isPresent();
  }

  private static boolean isOne(Question.CompareLessons both) {
    return both.a().equals(both.b());
  }

  /** Whether the answer is {@value #SAME} in each order in which the model read the lessons. */
  static boolean isSame(Answer answer) {
    return answer.text().equals(SAME) && answer.orders().stream().allMatch(SAME::equals);
  }

  /** Whether one entry of the group already links to at least half of the other entries. */
  private static boolean isGathered(List<Told> group) {
    Set<Link> places = group.stream().map(one -> one.entry().link()).collect(Collectors.toSet());
    return group.stream()
        .anyMatch(
            one -> {
              Set<Link> links = new HashSet<>(one.entry().text().links());
              links.retainAll(places);
              return 2 * links.size() >= group.size() - 1;
            });
  }

  private static Lesson lesson(List<Told> group, Map<String, float[]> vectors) {
    Middle middle = Middle.of(group.stream().map(one -> vectors.get(one.sentence())).toList());
    String title =
        group.stream()
            .map(Told::sentence)
            .max(
                Comparator.comparingDouble((String one) -> middle.nearness(vectors.get(one)))
                    .thenComparing(Comparator.reverseOrder()))
            .orElseThrow();
    List<String> keys = group.stream().map(one -> one.entry().key()).sorted().toList();
    return new Lesson(
        "lesson-" + Sha256.of(keys).substring(0, 10),
        title,
        group.stream().map(Told::entry).toList(),
        group.stream().map(Told::sentence).toList());
  }

  private void note(QuestionKind job, int unanswered) {
    if (unanswered > 0) {
      left.put(job, unanswered);
    }
  }
}
