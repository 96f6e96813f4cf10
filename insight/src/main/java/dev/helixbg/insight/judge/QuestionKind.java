package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.label.Label;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of questions for a model. Each kind is a job with its own system prompt. */
public enum QuestionKind {
  /** The label of an entry. */
  LABEL(Arrays.stream(Label.values()).map(Label::title).toList(), 0),
  /** Whether two entries say the same, are related, or have nothing in common. */
  PAIR(List.of("same", "related", "different"), 0),
  /** A topic, summed up in one sentence. */
  SUMMARY(List.of(), 64),
  /**
   * One text for entries that say the same. The token limit of the text is also the limit of all
   * these entries together.
   */
  MERGE(List.of(), 384),
  /** Whether an older entry is still valid beside a newer entry. */
  OVERTAKEN(List.of("valid", "outdated", "contradicted"), 0),
  /** The lesson of an entry in one sentence. */
  LESSON(List.of(), 48),
  /** Whether two lessons state the same rule. */
  RULE(List.of("same", "different"), 0);

  /** Version of the rules for writing questions and scoring answers. */
  private static final int FORM = 1;

  private final List<String> choices;
  private final int maxTokens;
  private final String systemPrompt;
  private final String version;

  QuestionKind(List<String> choices, int maxTokens) {
    this.choices = choices;
    this.maxTokens = maxTokens;
    systemPrompt = read(title() + ".txt");
    version = Sha256.of(List.of(FORM + " " + maxTokens + "\n" + systemPrompt)).substring(0, 12);
  }

  /** Returns the name used in files and output. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<QuestionKind> titled(String title) {
    return Arrays.stream(values()).filter(job -> job.title().equals(title)).findFirst();
  }

  public String systemPrompt() {
    return systemPrompt;
  }

  /** Returns the only possible answers; empty for free text. */
  public List<String> choices() {
    return choices;
  }

  int maxTokens() {
    return maxTokens;
  }

  /** Returns a version that differs for every prompt, so answers to old prompts are not reused. */
  String version() {
    return version;
  }

  private static String read(String name) {
    try (InputStream in = QuestionKind.class.getResourceAsStream(name)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
