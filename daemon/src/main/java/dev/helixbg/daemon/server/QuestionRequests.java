package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.agents.AgentAnswer;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.agents.AgentClient;
import dev.helixbg.insight.agents.AgentQuestion;
import dev.helixbg.insight.agents.KnownPairs;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Gives coding agents the open questions about a knowledge base, and stores their answers.
 *
 * @param model the measured reliability of the local language model, if known
 */
public record QuestionRequests(
    FindingRequests findings,
    Supplier<Optional<JudgeTrust>> model,
    Supplier<EmbedderSource> embedder) {
  /** Maximum number of questions, and of answers, in a request. */
  private static final int MOST = 100;

  private static final int USUAL = 10;

  /** Time for which a question is reserved for the client that got it. */
  private static final Duration BORROWED = Duration.ofMinutes(10);

  /** Highest plausible reading speed of an agent, in characters per millisecond. */
  private static final int CHARACTERS_PER_MILLI = 100;

  private static final String MEANING =
      "Each question has two entries of a knowledge base: 'older', which was written first, and"
          + " 'newer'; or 'one' and 'other', if it is unknown which was written first. same: both"
          + " state the same fact, so one can go. overtaken: the newer one, or either, says that"
          + " something in the other one has changed or is wrong. related: different facts about"
          + " the same thing. different: nothing in common.";

  private static final String LESSON =
      "Each question has one entry of a software developer's knowledge base. Write down the lesson"
          + " that it teaches: the cause and the rule, so general that it also holds for other"
          + " subjects, in one English sentence of 8 to 18 plain words, without names of products,"
          + " people, services or files, and without numbers. Answer none if the entry only states"
          + " a fact, a setting or how to do something.";

  static final String STALE =
      "a text has changed or was removed since the question was given: call 'questions' again";

  private static final String ASK =
      "Read each question in full before you judge. If a text has the field 'omitted', read the"
          + " whole entry with the tool 'entry'. Then call 'answers' with {id, answer} for each"
          + " question.";

  /** A question for an agent: the part that the server stores, and the texts to judge. */
  record Given(AgentQuestion asked, ObjectNode texts) {
    String id() {
      return asked.id();
    }

    /** Returns the question as JSON, with the id that the client must name in its answer. */
    ObjectNode toJson(String answeredAs) {
      return Json.object().put("id", answeredAs).setAll(texts);
    }
  }

  public static QuestionRequests of(FindingRequests findings, Settings settings) {
    return new QuestionRequests(
        findings,
        () -> JudgingStage.withoutAsking(settings).trust(),
        () -> EmbeddingModel.locate(settings));
  }

  /**
   * Returns the next open questions for a client. For pairs, takes leads (pairs at the top of the
   * report) first, then pairs on which the pair judges are least certain. Adds some pairs with
   * known answers, which measure the client. Sorts all pairs by the ids that the client gets. For
   * other kinds of questions, takes the newest entries first.
   *
   * @param request a request with {@code client} and optionally {@code clientVersion}, {@code
   *     kind}, {@code count} and {@code perDay}, the maximum number of questions in a day. With
   *     {@code perDay}, no question is given twice in a day
   */
  public ObjectNode give(ObjectNode request, Instant now) throws InterruptedException {
    AgentClient client = client(request);
    int count = request.path("count").asInt(USUAL);
    if (count < 1 || count > MOST) {
      throw Failure.usage("\"count\" must be from 1 to " + MOST);
    }
    QuestionKind kind = kind(request.path("kind").asText(QuestionKind.PAIR.title()));
    List<AgentAnswer> answers = findings.store().agentAnswers().all();
    Set<String> answered =
        answers.stream()
            .filter(one -> one.client().equals(client))
            .map(AgentAnswer::question)
            .collect(Collectors.toSet());
    if (request.has("perDay")) {
      Instant day = now.minus(Duration.ofDays(1));
      List<String> today =
          findings.store().agentAnswers().asked(client).values().stream()
              .filter(one -> one.at().isAfter(day))
              .map(AgentQuestion::id)
              .toList();
      answered.addAll(today);
      count = Math.clamp(request.path("perDay").asInt() - today.size(), 0, count);
    }
    Set<String> taken = new HashSet<>(answered);
    taken.addAll(findings.store().agentAnswers().askedOfOthers(client, now.minus(BORROWED)));
    AgentAnswers said = new AgentAnswers(answers, model.get());
    List<Given> page = new ArrayList<>();
    int open;
    if (kind == QuestionKind.PAIR) {
      List<KnownPairs.Known> known = KnownPairs.next(count, answered);
      known.forEach(one -> taken.add(one.id()));
      // Gets more pairs than needed, since another client may get some of them at the same moment.
      PairQuestions.Open pairs = PairQuestions.open(findings, said, taken, 2 * count + USUAL, now);
      open = pairs.all();
      if (open > 0) {
        // the pairs with known answers cannot be recognised by the names of their fields
        boolean isAgeKnown = pairs.first().stream().noneMatch(one -> one.texts().has("one"));
        known.forEach(one -> page.add(PairQuestions.of(one, isAgeKnown, now)));
      }
      page.addAll(pairs.first());
    } else {
      page.addAll(ofEntries().open(kind, said, client, taken, now));
      open = page.size();
    }
    Map<String, String> given =
        findings
            .store()
            .agentAnswers()
            .ask(client, page.stream().map(Given::asked).toList(), count, now.minus(BORROWED), now);
    page.removeIf(one -> !given.containsKey(one.id()));
    if (kind == QuestionKind.PAIR) {
      // Sorts, so that the pairs with known answers cannot be recognised by their place.
      page.sort(Comparator.comparing(one -> given.get(one.id())));
    }
    ObjectNode line = Json.object().put("meaning", meaning(kind)).put("ask", ASK);
    List<String> possible = AgentQuestion.answers(kind);
    if (!possible.isEmpty()) {
      line.set("answers", Json.texts(possible));
    }
    line.set("questions", Json.array(page, one -> one.toJson(given.get(one.id()))));
    long known = page.stream().filter(one -> one.asked().keys().isEmpty()).count();
    return line.put("left", open - page.size() + known);
  }

  private EntryQuestions ofEntries() {
    return new EntryQuestions(findings, embedder);
  }

  private static String meaning(QuestionKind kind) {
    return switch (kind) {
      case PAIR -> MEANING;
      case LESSON -> LESSON;
      default -> kind.systemPrompt();
    };
  }

  private static QuestionKind kind(String title) {
    return AgentQuestion.KINDS.stream()
        .filter(one -> AgentQuestion.title(one).equals(title))
        .findFirst()
        .orElseThrow(
            () ->
                Failure.usage(
                    "\"kind\" must be one of "
                        + AgentQuestion.KINDS.stream()
                            .map(AgentQuestion::title)
                            .collect(Collectors.joining(", "))));
  }

  private static AgentClient client(ObjectNode request) {
    return new AgentClient(request.path("client").asText(), request.path("clientVersion").asText());
  }

  /**
   * Stores a client's answers to questions that this client got and whose texts still exist.
   *
   * @param request request with {@code client}, optionally {@code clientVersion}, and {@code
   *     answers}, an array of objects with {@code id} and {@code answer}
   */
  public ObjectNode take(ObjectNode request, Instant now) {
    AgentClient client = client(request);
    JsonNode given = request.path("answers");
    if (!given.isArray() || given.size() > MOST) {
      throw Failure.usage(
          "\"answers\" must be a list of {id, answer}, at most %d of them".formatted(MOST));
    }
    Map<String, AgentQuestion> asked = findings.store().agentAnswers().asked(client);
    Map<String, String> wanted = new HashMap<>();
    ArrayNode refused = Json.object().putArray("refused");
    for (JsonNode one : given) {
      String id = one.path("id").asText();
      Optional<String> wrong = wrong(one, asked.get(id), wanted);
      if (wrong.isPresent()) {
        refuse(refused, id, wrong.get());
      } else {
        wanted.put(id, one.path("answer").asText());
      }
    }
    Set<Instant> hasty = hasty(wanted.keySet(), asked, now);
    List<AgentAnswer> answers = new ArrayList<>();
    wanted.forEach(
        (id, answer) -> {
          AgentQuestion of = asked.get(id);
          boolean isHasty = hasty.contains(of.at());
          answers.add(new AgentAnswer(client, of.id(), of.kind(), answer, isHasty, now));
        });
    Set<String> kept = findings.store().agentAnswers().add(answers);
    wanted.keySet().stream()
        .filter(id -> !kept.contains(asked.get(id).id()))
        .forEach(id -> refuse(refused, id, "you have already answered this question"));
    return Json.object().put("kept", kept.size()).set("refused", refused);
  }

  private static void refuse(ArrayNode refused, String id, String why) {
    refused.addObject().put("id", PrintableText.excerpt(id, 40)).put("why", why);
  }

  private Optional<String> wrong(
      JsonNode given, AgentQuestion question, Map<String, String> before) {
    if (!given.path("id").isTextual() || !given.path("answer").isTextual()) {
      return Optional.of("each answer needs the fields \"id\" and \"answer\", both strings");
    }
    if (question == null) {
      return Optional.of("this question was not given to you: call 'questions'");
    }
    if (before.containsKey(given.path("id").asText())) {
      return Optional.of("this call has two answers to the question: the first answer counts");
    }
    List<String> possible = AgentQuestion.answers(question.kind());
    String answer = given.path("answer").asText();
    if (!possible.isEmpty() && !possible.contains(answer)) {
      return Optional.of("the answer must be one of " + String.join(", ", possible));
    }
    if (question.kind() != QuestionKind.PAIR) {
      return ofEntries().wrong(question, answer);
    }
    return PairQuestions.isStale(question, findings.present().entries())
        ? Optional.of(STALE)
        : Optional.empty();
  }

  /** Returns the start times of pages of questions answered faster than agents can read. */
  private static Set<Instant> hasty(
      Set<String> answered, Map<String, AgentQuestion> asked, Instant now) {
    Map<Instant, Integer> characters = new HashMap<>();
    answered.forEach(
        id -> characters.merge(asked.get(id).at(), asked.get(id).characters(), Integer::sum));
    characters
        .entrySet()
        .removeIf(
            page -> {
              long millis = Duration.between(page.getKey(), now).toMillis();
              return millis < 0 || millis * CHARACTERS_PER_MILLI >= page.getValue();
            });
    return characters.keySet();
  }
}
