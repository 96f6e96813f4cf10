package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.run.TextVectors;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.agents.AgentClient;
import dev.helixbg.insight.agents.AgentQuestion;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.CentralEntries;
import dev.helixbg.insight.judge.JudgeRun;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.WordRepetition;
import dev.helixbg.insight.lessons.LessonRun;
import dev.helixbg.insight.lessons.LessonText;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Questions about single entries, lessons and topics. A coding agent gets the same questions as the
 * language model.
 */
record EntryQuestions(FindingRequests findings, Supplier<EmbedderSource> embedder) {
  private static final int LONGEST_TOPIC = 300;

  private static final String LESSON_RULE =
      "a lesson is one sentence of 4 to 32 words, in your own words, without names or numbers"
          + " that are not in the entry; or the word "
          + AgentQuestion.NO_LESSON;

  private static final String SUMMARY_RULE =
      ("a summary is one sentence on one line, of %d characters at most, in which no phrase is"
              + " repeated")
          .formatted(AgentQuestion.LONGEST);

  /**
   * Returns the open questions, beginning with the newest entries. Omits questions that are in
   * {@code taken}, or that were answered by this client or by a client whose answers count.
   */
  List<QuestionRequests.Given> open(
      QuestionKind kind, AgentAnswers said, AgentClient client, Set<String> taken, Instant now)
      throws InterruptedException {
    List<NamedEntry> entries = findings.present().entries().all();
    QuestionSession known = new QuestionSession(said.known(Optional.of(client)));
    Map<String, String> keys = new HashMap<>();
    entries.forEach(one -> keys.putIfAbsent(text(one), one.key()));
    LessonRun lessons =
        new LessonRun(
            known,
            entries,
            texts -> TextVectors.ofLessons(findings.store().database(), embedder.get()).of(texts));
    switch (kind) {
      case LESSON -> lessons.tellers();
      case RULE -> {
        lessons.ask();
        lessons.tellers().forEach((sentence, entry) -> keys.put(sentence, entry.key()));
      }
      case LABEL -> known.ask(JudgeRun.labelQuestions(entries).values());
      case SUMMARY -> known.ask(JudgeRun.summaryQuestions(topics(entries)).values());
      default -> throw new IllegalArgumentException("no question about entries: " + kind);
    }
    return known.unasked().stream()
        .filter(question -> question.job() == kind)
        .filter(question -> !taken.contains(AgentQuestion.of(question)))
        .map(question -> given(question, keys, now))
        .toList();
  }

  /** Returns the entries by topic, without entries that get their vector only in the next run. */
  private CentralEntries topics(List<NamedEntry> entries) {
    Map<String, float[]> vectors = new HashMap<>();
    VectorStore.ofEntries(findings.store().database())
        .read()
        .byKey()
        .forEach((key, vector) -> vectors.put(key.hex(), vector));
    List<NamedEntry> known =
        entries.stream().filter(entry -> vectors.containsKey(entry.key())).toList();
    return new CentralEntries(known, i -> vectors.get(known.get(i).key()));
  }

  private static String text(NamedEntry entry) {
    return entry.entry().topic() + "\n" + entry.entry().text().content();
  }

  /** Returns a question; {@code keys} maps texts and lessons to the keys of their entries. */
  private static QuestionRequests.Given given(
      Question question, Map<String, String> keys, Instant now) {
    ObjectNode texts = Json.object();
    List<String> of =
        switch (question) {
          case Question.LessonOf(String topic, String content) ->
              List.of(entry(texts, topic, content, keys));
          case Question.LabelOf(String topic, String content) ->
              List.of(entry(texts, topic, content, keys));
          case Question.CompareLessons(String a, String b) -> {
            texts.put("one", PrintableText.line(a)).put("other", PrintableText.line(b));
            yield List.of(keys.get(a), keys.get(b));
          }
          case Question.Summarise(String topic, List<String> contents) -> {
            ArrayNode shown = texts.putArray("entries");
            yield contents.stream()
                .map(content -> entry(shown.addObject(), topic, content, keys))
                .toList();
          }
          default -> throw new IllegalArgumentException("no question about entries: " + question);
        };
    return new QuestionRequests.Given(
        new AgentQuestion(
            AgentQuestion.of(question), question.job(), of, texts.toString().length(), now),
        texts);
  }

  private static String entry(
      ObjectNode texts, String topic, String content, Map<String, String> keys) {
    String key = keys.get(topic + "\n" + content);
    texts.put("topic", PrintableText.excerpt(topic, LONGEST_TOPIC));
    texts.setAll(PairQuestions.excerpt(content, 0, Optional.of(key)));
    return key;
  }

  /** Returns the reason why an answer cannot be accepted; empty if it can. */
  Optional<String> wrong(AgentQuestion question, String answer) {
    List<NamedEntry> of = findings.present().entries().of(question.keys()).orElse(List.of());
    if (of.isEmpty()) {
      return Optional.of(QuestionRequests.STALE);
    }
    String topic = of.getFirst().entry().topic();
    String content = of.getFirst().entry().text().content();
    return switch (question.kind()) {
      case LESSON -> {
        boolean isSound =
            answer.equals(AgentQuestion.NO_LESSON)
                || LessonText.of(answer, topic, content).isPresent();
        yield isSound ? Optional.empty() : Optional.of(LESSON_RULE);
      }
      case SUMMARY -> isSummary(answer) ? Optional.empty() : Optional.of(SUMMARY_RULE);
      default -> Optional.empty();
    };
  }

  private static boolean isSummary(String answer) {
    return !answer.isBlank()
        && answer.length() <= AgentQuestion.LONGEST
        && answer.chars().noneMatch(Character::isISOControl)
        && WordRepetition.loops(answer).isEmpty();
  }
}
