package dev.helixbg.insight.judge;

import dev.helixbg.insight.log.SentenceEnds;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Asks a language model questions. The model reads the system prompt of each job (kind of question)
 * only once, and reads questions together if they fit into one pass over the weights.
 *
 * <p>For a job with few choices, only the tokens of the choices are compared. The model cannot give
 * another answer, even if an entry tells it to. An answer does not depend on other questions.
 */
public final class Judge implements QuestionAnswerer {
  /**
   * Maximum number of tokens in a prompt besides the texts: the chat format, the topic, and the
   * letters A and B.
   */
  private static final int FRAME_TOKENS = 96;

  private static final int MIN_BUDGET = 16;

  /**
   * Maximum number of passes for the prompts of questions whose free answers are written together.
   */
  private static final int PASSES_OF_FREE_ANSWERS = 4;

  private final TextModel model;
  private final ChatTemplate chat;
  private final Map<QuestionKind, Opened> opened = new EnumMap<>(QuestionKind.class);

  /** Makes a judge. When the judge is closed, it closes the model, too. */
  public Judge(TextModel model) {
    this.model = model;
    this.chat = model.chat();
  }

  /**
   * A job whose system prompt the model has read. Each request of the job begins with the tokens
   * {@code lead}.
   */
  private record Opened(
      Session session, int[] lead, QuestionPrompts prompts, List<int[]> choices) {}

  private record Asked(List<int[]> prompts, int unread) {}

  public TextModel model() {
    return model;
  }

  @Override
  public List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled) {
    QuestionKind job = questions.getFirst().job();
    Opened ready = open(job, cancelled);
    List<Asked> asked = new ArrayList<>();
    boolean free = job.choices().isEmpty();
    int room = model.passTokens() * (free ? PASSES_OF_FREE_ANSWERS : 1);
    for (Question question : questions) {
      QuestionPrompts.Written written = ready.prompts().write(question);
      List<int[]> prompts = written.turns().stream().map(turn -> unread(ready, turn)).toList();
      room -= prompts.stream().mapToInt(ids -> ids.length).sum();
      if (!asked.isEmpty() && room < 0) {
        break;
      }
      asked.add(new Asked(prompts, written.unread()));
    }
    return free ? generate(job, ready, asked, cancelled) : choose(job, ready, asked, cancelled);
  }

  /** Returns the whole prompts of a question, one for each order of its texts. */
  List<int[]> prompts(Question question) {
    Opened ready = open(question.job(), () -> false);
    int[] opening = chat.opening(question.job().systemPrompt());
    return ready.prompts().write(question).turns().stream()
        .map(turn -> chat.request(turn, false))
        .map(ids -> IntStream.concat(IntStream.of(opening), IntStream.of(ids)).toArray())
        .toList();
  }

  private int[] unread(Opened ready, String turn) {
    int[] request = chat.request(turn, false);
    int read = ready.lead().length;
    if (!Arrays.equals(request, 0, read, ready.lead(), 0, read)) {
      throw new IllegalStateException(
          "the system prompt's last token merged with the beginning of: " + turn);
    }
    return Arrays.copyOfRange(request, read, request.length);
  }

  private Opened open(QuestionKind job, BooleanSupplier cancelled) {
    Opened ready = opened.get(job);
    if (ready == null) {
      int[] opening = chat.opening(job.systemPrompt(), QuestionPrompts.lead(job));
      int before = chat.opening(job.systemPrompt()).length;
      int room = model.contextLimit() - opening.length - FRAME_TOKENS - job.maxTokens();
      int budget = Math.min(QuestionPrompts.budget(job), room);
      if (budget < MIN_BUDGET) {
        throw new JudgeException(
            "%s has a context of %d tokens, too short for the job \"%s\""
                .formatted(model.file().path(), model.contextLimit(), job.title()));
      }
      Session session = model.session();
      try {
        model.read(session, opening, cancelled);
      } catch (CancellationException e) {
        session.close();
        throw e;
      }
      List<int[]> choices = job.choices().stream().map(chat::answer).toList();
      int[] lead = Arrays.copyOfRange(opening, before, opening.length);
      ready = new Opened(session, lead, new QuestionPrompts(model.tokenizer(), budget), choices);
      opened.put(job, ready);
    }
    return ready;
  }

  private List<Answer> choose(
      QuestionKind job, Opened ready, List<Asked> asked, BooleanSupplier cancelled) {
    List<int[]> prompts = asked.stream().flatMap(one -> one.prompts().stream()).toList();
    double[][] scores = model.choose(ready.session(), prompts, ready.choices(), cancelled);
    List<Answer> answers = new ArrayList<>();
    int row = 0;
    for (Asked one : asked) {
      int end = row + one.prompts().size();
      answers.add(best(job, Arrays.copyOfRange(scores, row, end), one.unread()));
      row = end;
    }
    return answers;
  }

  /** Returns the mean probability of each choice over the orders of a question's texts. */
  private static double[] mean(double[][] orders) {
    double[] mean = new double[orders[0].length];
    for (double[] order : orders) {
      for (int i = 0; i < order.length; i++) {
        // A value that is not finite counts as an equal share.
        double share = Double.isFinite(order[i]) ? order[i] : 1.0 / order.length;
        mean[i] += share / orders.length;
      }
    }
    return mean;
  }

  private static Answer best(QuestionKind job, double[][] orders, int unread) {
    double[] probabilities = mean(orders);
    int best = best(probabilities);
    double[] others = probabilities.clone();
    others[best] = Double.NEGATIVE_INFINITY;
    int next = best(others);
    List<String> choices = job.choices();
    return new Answer(
        choices.get(best),
        probabilities[best],
        choices.get(next),
        probabilities[next],
        unread,
        orders.length < 2
            ? List.of()
            : Arrays.stream(orders).map(Judge::best).map(choices::get).toList());
  }

  private static int best(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      if (probabilities[i] > probabilities[best]) {
        best = i;
      }
    }
    return best;
  }

  private List<Answer> generate(
      QuestionKind job, Opened ready, List<Asked> asked, BooleanSupplier cancelled) {
    List<int[]> prompts = asked.stream().map(one -> one.prompts().getFirst()).toList();
    List<Generation> generations =
        model.generateAll(
            ready.session(),
            prompts,
            new GenerationOptions(job.maxTokens(), model.tokenizer().endTokens()),
            cancelled);
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      answers.add(Answer.free(text(job, generations.get(i)), asked.get(i).unread() != 0));
    }
    return answers;
  }

  /**
   * Returns the text of a free answer. An unfinished answer loses its last, broken sentence if the
   * last whole sentence ends in the second half of the answer; otherwise it gets {@code " …"}. The
   * result is empty for an unfinished merge, because a merge must keep every detail.
   */
  private String text(QuestionKind job, Generation generation) {
    String text = model.tokenizer().decode(generation.tokenIds()).strip();
    if (generation.stopReason() == StopReason.STOP_TOKEN) {
      return text;
    }
    if (job == QuestionKind.MERGE) {
      return "";
    }
    List<Integer> ends = SentenceEnds.of(text);
    boolean whole = !ends.isEmpty() && ends.getLast() > text.length() / 2;
    return whole ? text.substring(0, ends.getLast()) : text + " …";
  }

  @Override
  public void close() {
    opened.values().forEach(ready -> ready.session().close());
    model.close();
  }
}
