package dev.helixbg.daemon.search;

import dev.helixbg.insight.judge.SentenceCut;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import dev.helixbg.llm.tokenizer.BpeTokenizer.TextStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Answers a question from the entries nearest to it. */
public final class Chat {
  /** Number of entries that an answer is made from. */
  public static final int ENTRIES = 5;

  private static final int MAX_TOKENS = 256;

  /** Longest name of a topic in a prompt, in tokens. */
  private static final int TOPIC_TOKENS = 32;

  /** Number of tokens that joining texts may add: one per join. */
  private static final int SPARE = 2 * ENTRIES + 2;

  private static final String SYSTEM =
      "You answer questions from entries of a software developer's knowledge base. Use only what"
          + " the entries say; if they do not answer the question, say so. Be brief.";

  private Chat() {}

  /**
   * @param listener receives the answer piece by piece
   * @throws CancellationException when cancelled
   */
  public static void answer(
      String question,
      List<SearchHit> hits,
      Optional<TextModel> model,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    if (model.isEmpty()) {
      listener.accept(
          "There is no language model on this machine to answer; these entries are nearest to the"
              + " question:\n\n"
              + hits.stream()
                  .map(hit -> written(hit.name(), hit.text()))
                  .collect(Collectors.joining()));
    } else {
      write(model.get(), SYSTEM, asked(question, hits, model.get()), listener, cancelled);
    }
  }

  /**
   * Returns the user's turn: the question, and as much of the entries as fits. Each entry gets an
   * equal share of the room that is left.
   */
  static String asked(String question, List<SearchHit> hits, TextModel model) {
    BpeTokenizer tokenizer = model.tokenizer();
    ToIntFunction<String> count = text -> tokenizer.encode(text).length;
    int frame = model.chat().request(asked("", ""), false).length;
    int left =
        model.contextLimit() - model.chat().opening(SYSTEM).length - frame - MAX_TOKENS - SPARE;
    SentenceCut put = SentenceCut.of(question, Math.max(0, left), count);
    left -= put.tokens();
    StringBuilder entries = new StringBuilder();
    for (int i = 0; i < hits.size(); i++) {
      SearchHit hit = hits.get(i);
      int colon = hit.name().lastIndexOf(':');
      int index = colon < 0 ? hit.name().length() : colon; // names of notes have no index
      String topic = SentenceCut.of(hit.name().substring(0, index), TOPIC_TOKENS, count).text();
      String name = topic + hit.name().substring(index);
      int room = left / (hits.size() - i) - count.applyAsInt(written(name, ""));
      if (room > 0) {
        String entry = written(name, SentenceCut.of(hit.text(), room, count).text());
        left -= count.applyAsInt(entry);
        entries.append(entry);
      }
    }
    return asked(entries.toString(), put.text());
  }

  private static String asked(String entries, String question) {
    return "Entries:\n" + entries + "Question: " + question;
  }

  private static String written(String name, String text) {
    return "[" + name + "] " + text + "\n\n";
  }

  /** Lets a model answer, and passes the text to the listener piece by piece. */
  static void write(
      TextModel model,
      String system,
      String user,
      Consumer<String> listener,
      BooleanSupplier cancelled) {
    int[] opening = model.chat().opening(system);
    int[] request = model.chat().request(user, false);
    TextStream stream = model.tokenizer().stream();
    GenerationOptions options = new GenerationOptions(MAX_TOKENS, model.tokenizer().endTokens());
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
    }
  }
}
