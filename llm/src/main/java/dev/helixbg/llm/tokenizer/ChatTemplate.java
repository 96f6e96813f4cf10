package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufException;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Qwen's chat format (ChatML) as tokens. Control tokens frame the turns; the content of a turn
 * always becomes ordinary tokens.
 *
 * <pre>
 * &lt;|im_start|&gt;system⏎{system}&lt;|im_end|&gt;⏎
 * &lt;|im_start|&gt;user⏎{user}&lt;|im_end|&gt;⏎
 * &lt;|im_start|&gt;assistant⏎                            with thinking, the model continues here
 * &lt;think&gt;⏎⏎&lt;/think&gt;⏎⏎                              without thinking, an empty thought follows
 * </pre>
 *
 * <p>Prompts for models that never think have no {@code <think>} block. Prompts for models that
 * always think have the beginning of the block, {@code <think>⏎}, if thinking is allowed.
 *
 * <p>{@link #opening} and {@link #request} make the two parts of a prompt. Tokens cannot merge
 * across the boundary of the parts, so the cached keys and values of an opening can be used for
 * every request.
 *
 * <p>All methods throw a {@link GgufException} if the tokenizer lacks the control tokens.
 */
public record ChatTemplate(BpeTokenizer tokenizer, Thought thought) {
  public enum Thought {
    /** The model thinks unless the prompt prevents it. */
    OPTIONAL,
    /** The model was not trained to think. */
    NEVER,
    /** The model was trained to think before every answer. */
    ALWAYS;

    /**
     * Pattern that matches a Jinja template if the template begins every answer with {@code
     * <think>}. Before {@code <think>}, a line break can be escaped, and Jinja's operators can join
     * strings.
     */
    private static final Pattern OPENS =
        Pattern.compile("<\\|im_start\\|>assistant[\\s'\"+~{}\\\\n-]*<think>");

    /** Returns how a model thinks, according to the Jinja template in its file, if there is one. */
    public static Thought of(Optional<String> template) {
      if (template.isEmpty() || template.get().contains("enable_thinking")) {
        return OPTIONAL;
      }
      return OPENS.matcher(template.get()).find() ? ALWAYS : NEVER;
    }
  }

  static final String START = "<|im_start|>";
  static final String END = "<|im_end|>";
  private static final String USER = "user\n";

  /** Returns the part of a prompt before the user's turn; {@code system} may be null. */
  public int[] opening(String system) {
    Ids ids = new Ids();
    if (system != null) {
      ids.special(START).text("system\n" + system).special(END).text("\n");
    }
    return ids.special(START).toArray();
  }

  /**
   * Returns the tokens with which the prompts of several requests begin: the tokens of {@link
   * #opening(String)}, then the first tokens of each {@link #request}.
   *
   * @param lead text with which the user's turn begins in all requests. This text must end in
   *     punctuation, and the next text must begin with white space, because tokens never merge
   *     across such a boundary
   */
  public int[] opening(String system, String lead) {
    return new Ids().all(opening(system)).text(USER + lead).toArray();
  }

  /**
   * Returns the part of a prompt that follows the opening: the user's turn and the beginning of the
   * answer.
   *
   * @param user the question; always becomes ordinary tokens
   * @param thinking whether the model may think before it answers
   */
  public int[] request(String user, boolean thinking) {
    Ids ids = new Ids().text(USER + user).special(END).text("\n");
    ids.special(START).text("assistant\n");
    if (thinking && thought == Thought.ALWAYS) {
      ids.special("<think>").text("\n");
    } else if (!thinking && thought != Thought.NEVER) {
      ids.special("<think>").text("\n\n").special("</think>").text("\n\n");
    }
    return ids.toArray();
  }

  public int[] prompt(String system, String user, boolean thinking) {
    return new Ids().all(opening(system)).all(request(user, thinking)).toArray();
  }

  /**
   * Returns the tokens of a whole answer with its end token, so that no answer is a prefix of
   * another answer.
   */
  public int[] answer(String text) {
    return new Ids().text(text).special(END).toArray();
  }

  private final class Ids {
    private final IntStream.Builder ids = IntStream.builder();

    Ids special(String token) {
      ids.add(tokenizer.special(token));
      return this;
    }

    /** Adds a text, always as ordinary tokens. */
    Ids text(String text) {
      return all(tokenizer.encode(text));
    }

    Ids all(int[] more) {
      IntStream.of(more).forEach(ids);
      return this;
    }

    int[] toArray() {
      return ids.build().toArray();
    }
  }
}
