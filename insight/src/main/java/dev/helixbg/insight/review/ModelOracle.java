package dev.helixbg.insight.review;

import dev.helixbg.llm.Session;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.generate.Generation;
import dev.helixbg.llm.generate.GenerationOptions;
import dev.helixbg.llm.generate.Sampling;
import dev.helixbg.llm.generate.StopReason;
import dev.helixbg.llm.tokenizer.ChatForm;
import dev.helixbg.llm.tokenizer.TextStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** An open {@link TextModel} as an oracle; one thread at a time. */
public final class ModelOracle implements Oracle {
  private final TextModel model;
  private final IntConsumer tokens;

  /**
   * @param tokens is told how many were read and generated
   */
  public ModelOracle(TextModel model, IntConsumer tokens) {
    this.model = model;
    this.tokens = tokens;
  }

  @Override
  public String name() {
    return model.name();
  }

  @Override
  public int choose(String system, String user, List<String> choices, BooleanSupplier cancelled) {
    ChatForm chat = model.chat();
    int[] prompt = fitting(chat.request(user, false), model.contextLimit() / 2);
    List<int[]> answers = choices.stream().map(chat::answer).toList();
    try (Session session = model.session()) {
      if (!model.read(session, chat.opening(system), cancelled)) {
        throw new CancellationException();
      }
      double[] shares = model.choose(session, List.of(prompt), answers, cancelled)[0];
      tokens.accept(session.length() + prompt.length);
      int best = 0;
      for (int i = 1; i < shares.length; i++) {
        best = shares[i] > shares[best] ? i : best;
      }
      return best;
    }
  }

  @Override
  public String write(
      String system,
      String user,
      int maxTokens,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    ChatForm chat = model.chat();
    int[] opening = chat.opening(system);
    int[] request =
        fitting(chat.request(user, false), model.contextLimit() - opening.length - maxTokens - 1);
    TextStream stream = model.tokenizer().stream();
    StringBuilder text = new StringBuilder();
    Consumer<String> piece =
        part -> {
          text.append(part);
          listener.accept(part);
        };
    GenerationOptions options =
        new GenerationOptions(maxTokens, Sampling.GREEDY, model.tokenizer().endTokens());
    try (Session session = model.session()) {
      if (!model.read(session, opening, cancelled)) {
        throw new CancellationException();
      }
      Generation generation =
          model.generate(
              session, request, options, id -> piece.accept(stream.append(id)), cancelled);
      tokens.accept(opening.length + request.length + generation.tokenIds().length);
      if (generation.stopReason() == StopReason.CANCELLED) {
        throw new CancellationException();
      }
      piece.accept(stream.finish());
    }
    return text.toString().strip();
  }

  /**
   * Leaves out the middle of a request that is too long: its end is the frame in which the answer
   * begins.
   */
  private static int[] fitting(int[] request, int most) {
    if (request.length <= most) {
      return request;
    }
    int end = Math.min(16, most / 2);
    int[] cut = Arrays.copyOf(request, most);
    System.arraycopy(request, request.length - end, cut, most - end, end);
    return cut;
  }
}
