package dev.helixbg.llm.tokenizer;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Qwen's chat form (ChatML), token by token: turns are framed by control tokens, and what stands in
 * them is text only.
 *
 * <pre>
 * &lt;|im_start|&gt;system⏎{system}&lt;|im_end|&gt;⏎
 * &lt;|im_start|&gt;user⏎{user}&lt;|im_end|&gt;⏎
 * &lt;|im_start|&gt;assistant⏎                            with thinking, the model goes on from here
 * &lt;think&gt;⏎⏎&lt;/think&gt;⏎⏎                              without, it is told that it has thought
 * </pre>
 *
 * <p>Models that never think get no such block, and models that always think get its beginning,
 * {@code <think>⏎}, where they may: {@link Thought}.
 *
 * <p>{@link #opening} and {@link #request} make the two parts of a prompt, cut where tokens cannot
 * merge, so that a cache of the opening serves every request that follows.
 *
 * @param tokenizer whose ids it is in; {@link TokenizerException} if it lacks the control tokens
 * @param thought whether the model thinks
 */
public record ChatTemplate(BpeTokenizer tokenizer, Thought thought) {
  /** Whether a model thinks before it answers. */
  public enum Thought {
    /** It does unless told otherwise. */
    OPTIONAL,
    /** It was not trained to. */
    NEVER,
    /** It was trained only with thoughts. */
    ALWAYS;

    /** The beginning of an answer that a file's template adds, its line break as Jinja has it. */
    private static final Pattern OPENS =
        Pattern.compile("<\\|im_start\\|>assistant(\\\\n|\n)<think>");

    /** By the template of a model file, in Jinja; empty when it has none. */
    public static Thought of(Optional<String> template) {
      if (template.isEmpty() || template.get().contains("enable_thinking")) {
        return OPTIONAL;
      }
      return OPENS.matcher(template.get()).find() ? ALWAYS : NEVER;
    }
  }

  private static final String START = "<|im_start|>";
  private static final String END = "<|im_end|>";
  private static final String USER = "user\n";

  /**
   * Everything up to the user's turn.
   *
   * @param system what the model is told first; null for none
   */
  public int[] opening(String system) {
    Ids ids = new Ids();
    if (system != null) {
      ids.special(START).text("system\n" + system).special(END).text("\n");
    }
    return ids.special(START).toArray();
  }

  /**
   * Returns {@link #opening(String)}, and what every request to come begins with: the first tokens
   * of {@link #request}.
   *
   * @param lead ends in punctuation, and white space follows it in every request: there tokens
   *     never merge
   */
  public int[] opening(String system, String lead) {
    return new Ids().all(opening(system)).text(USER + lead).toArray();
  }

  /**
   * The rest, up to where the answer begins.
   *
   * @param user what is asked; becomes text only
   * @param thinking whether the model may think aloud first
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

  /** A whole prompt: opening and request. */
  public int[] prompt(String system, String user, boolean thinking) {
    return new Ids().all(opening(system)).all(request(user, thinking)).toArray();
  }

  /** A whole answer, with its end: none is the beginning of another. */
  public int[] answer(String text) {
    return new Ids().text(text).special(END).toArray();
  }

  /** A prompt that is put together. */
  private final class Ids {
    private final IntStream.Builder ids = IntStream.builder();

    Ids special(String token) {
      ids.add(tokenizer.special(token));
      return this;
    }

    /** Adds any text as text only. */
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
