package dev.helixbg.insight.agents;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.AgentSayings.Said;
import dev.helixbg.insight.judge.AgentSayings.Saying;
import dev.helixbg.insight.judge.AgentSayings.Trust;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.JudgeTrial.Truth;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.RememberedAnswers;
import dev.helixbg.insight.judge.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The verdicts on findings and the reliability of each agent, computed from all answers. */
public final class AgentAnswers {
  private final Map<AgentClient, Trust> clients = new LinkedHashMap<>();
  private final Map<String, List<AgentAnswer>> byQuestion;
  private final Optional<JudgeTrust> model;

  /**
   * @param answers the answers in the order in which they came
   * @param model measured reliability of the language model; answers of less reliable agents do not
   *     count
   */
  public AgentAnswers(List<AgentAnswer> answers, Optional<JudgeTrust> model) {
    this.model = model;
    byQuestion = answers.stream().collect(Collectors.groupingBy(AgentAnswer::question));
    answers.stream()
        .collect(
            Collectors.groupingBy(AgentAnswer::client, LinkedHashMap::new, Collectors.toList()))
        .forEach((client, all) -> clients.put(client, trust(client, all)));
  }

  /** Returns the reliability of each client, in the order of the clients' first answers. */
  public List<Trust> clients() {
    return List.copyOf(clients.values());
  }

  private static Trust trust(AgentClient client, List<AgentAnswer> answers) {
    Map<Verdict, JudgeTrust.Tally> said = new EnumMap<>(Verdict.class);
    List<List<String>> rows = new ArrayList<>();
    int right = 0;
    int hasty = 0;
    for (AgentAnswer answer : answers) {
      hasty += answer.isHasty() ? 1 : 0;
      Optional<Truth> truth = KnownPairs.truth(answer.question());
      if (truth.isPresent()) {
        Verdict verdict = Verdict.titled(answer.answer()).orElseThrow();
        right += JudgeTrust.Tally.count(said, verdict, truth.get());
        rows.add(List.of(Truth.of(verdict).name(), truth.get().name()));
      }
    }
    return new Trust(
        client.title(),
        answers.size() - rows.size(),
        new JudgeTrust(rows.size(), right, said, JudgeTrial.kappa(rows)),
        hasty);
  }

  /** Whether reliable clients have settled a question, so that no other client need be asked. */
  public boolean isSettled(String question) {
    return said(question).filter(said -> said.verdict().isPresent()).isPresent();
  }

  /** Returns the verdicts on the pair of a question; {@code question} is the question's id. */
  public Optional<Said> said(String question) {
    List<Saying> all = new ArrayList<>();
    Map<Verdict, Double> weights = new EnumMap<>(Verdict.class);
    for (AgentAnswer answer : byQuestion.getOrDefault(question, List.of())) {
      Trust trust = clients.get(answer.client());
      Verdict verdict = Verdict.titled(answer.answer()).orElseThrow();
      boolean counts = trust.counts(model);
      all.add(new Saying(trust.client(), verdict, counts));
      if (counts) {
        weights.merge(verdict, trust.share(), Double::sum);
      }
    }
    double most = weights.values().stream().mapToDouble(weight -> weight).max().orElse(0);
    List<Verdict> heaviest =
        weights.keySet().stream().filter(verdict -> weights.get(verdict) == most).toList();
    Optional<Verdict> verdict = heaviest.stream().findFirst().filter(_ -> heaviest.size() == 1);
    return Optional.of(new Said(verdict, all)).filter(_ -> !all.isEmpty());
  }

  /** Whether one entry of a pair can be removed; empty without a verdict of reliable clients. */
  public Optional<Boolean> isWorthAnAct(Finding.Relation pair) {
    return said(pair).flatMap(Said::verdict).map(Verdict::isAct);
  }

  private Optional<Said> said(Finding.Relation pair) {
    return byQuestion.isEmpty() // avoids hashing the texts for the id
        ? Optional.empty()
        : said(AgentQuestion.of(pair.older(), pair.newer()));
  }

  public AgentSayings on(Findings findings) {
    Map<String, Said> pairs = new HashMap<>();
    findings.relations().forEach(pair -> said(pair).ifPresent(one -> pairs.put(pair.id(), one)));
    return new AgentSayings(clients(), pairs);
  }

  /**
   * Returns the agents' answers in the form of a language model's answers. If several reliable
   * clients have answered a question, the result is the answer of the client that judges known
   * pairs best.
   *
   * @param self client whose answer is used if no reliable client has answered
   */
  public RememberedAnswers known(Optional<AgentClient> self) {
    return wanted -> {
      Map<AnswerStore.Id, Answer> found = new HashMap<>();
      for (AnswerStore.Id id : wanted) {
        best(AgentQuestion.id(id.job(), List.of(id.key())), self)
            .ifPresent(answer -> found.put(id, answer(id.job(), answer.answer())));
      }
      return found;
    };
  }

  private Optional<AgentAnswer> best(String question, Optional<AgentClient> self) {
    List<AgentAnswer> answers = byQuestion.getOrDefault(question, List.of());
    return answers.stream()
        .filter(answer -> counts(answer.client()))
        .max(
            Comparator.comparingDouble((AgentAnswer answer) -> clients.get(answer.client()).share())
                .thenComparing(answer -> answer.client().title()))
        .or(
            () ->
                answers.stream()
                    .filter(answer -> self.filter(answer.client()::equals).isPresent())
                    .findFirst());
  }

  /**
   * Whether a client was measured and does not guess. Unlike in {@link #said(String)}, the client
   * need not be as reliable as the language model.
   */
  private boolean counts(AgentClient client) {
    return clients.get(client).counts(Optional.empty());
  }

  private static Answer answer(QuestionKind kind, String said) {
    String other =
        kind.choices().stream().filter(choice -> !choice.equals(said)).findFirst().orElse("");
    return new Answer(said, 1, other, 0, false);
  }

  /** Returns the names of the reliable clients that have answered questions of a kind. */
  public Optional<String> readers(QuestionKind kind) {
    return byQuestion.values().stream()
        .flatMap(List::stream)
        .filter(answer -> answer.kind() == kind && counts(answer.client()))
        .map(answer -> answer.client().title())
        .distinct()
        .sorted()
        .reduce((one, other) -> one + ", " + other);
  }

  /**
   * Orders the first {@code first} relations by the agents' verdicts, and returns all relations.
   * Relations that are worth an act come first, then relations without a verdict, then
   * <i>related</i> ones, then <i>different</i> ones.
   */
  public static List<Finding.Relation> ranked(
      List<Finding.Relation> relations, AgentSayings said, int first) {
    int end = Math.min(first, relations.size());
    List<Finding.Relation> ranked = new ArrayList<>(relations.subList(0, end));
    ranked.sort(
        Comparator.comparingInt(pair -> said.verdict(pair).map(AgentAnswers::part).orElse(1)));
    ranked.addAll(relations.subList(end, relations.size()));
    return List.copyOf(ranked);
  }

  private static int part(Verdict verdict) {
    return switch (verdict) {
      case SAME, OVERTAKEN -> 0;
      case RELATED -> 2;
      case DIFFERENT -> 3;
    };
  }
}
