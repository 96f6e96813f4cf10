package dev.helixbg.daemon.search;

import dev.helixbg.llm.Session;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.generate.Generation;
import dev.helixbg.llm.generate.GenerationOptions;
import dev.helixbg.llm.generate.Sampling;
import dev.helixbg.llm.generate.StopReason;
import dev.helixbg.llm.tokenizer.TextStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Answers a question from the entries nearest to it. */
public final class Chat {
  /** That an answer is made from. */
  public static final int ENTRIES = 5;

  private static final int MAX_TOKENS = 256;
  private static final String SYSTEM =
      "You answer questions from entries of a software developer's knowledge base. Use only what"
          + " the entries say; if they do not answer the question, say so. Be brief.";

  private Chat() {}

  /**
   * @param listener is given the answer piece by piece
   * @return tokens that the model read and generated
   * @throws CancellationException when cancelled
   */
  public static int answer(
      String question,
      List<SearchHit> hits,
      Optional<TextModel> model,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    StringBuilder entries = new StringBuilder();
    for (SearchHit hit : hits) {
      entries.append('[').append(hit.name()).append("] ").append(hit.text()).append("\n\n");
    }
    if (model.isEmpty()) {
      listener.accept(
          "There is no language model on this machine to answer; these entries are nearest to the"
              + " question:\n\n"
              + entries);
      return 0;
    }
    String asked = "Entries:\n" + entries + "Question: " + question;
    return write(model.get(), SYSTEM, asked, MAX_TOKENS, listener, cancelled);
  }

  /** What a model says, piece by piece. */
  static int write(
      TextModel model,
      String system,
      String user,
      int maxTokens,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    int[] opening = model.chat().opening(system);
    int[] request =
        fitting(
            model.chat().request(user, false),
            model.contextLimit() - opening.length - maxTokens - 1);
    TextStream stream = model.tokenizer().stream();
    GenerationOptions options =
        new GenerationOptions(maxTokens, Sampling.GREEDY, model.tokenizer().endTokens());
    try (Session session = model.session()) {
      if (!model.read(session, opening, cancelled)) {
        throw new CancellationException();
      }
      Generation generation =
          model.generate(
              session, request, options, id -> listener.accept(stream.append(id)), cancelled);
      if (generation.stopReason() == StopReason.CANCELLED) {
        throw new CancellationException();
      }
      listener.accept(stream.finish());
      return opening.length + request.length + generation.tokenIds().length;
    }
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
