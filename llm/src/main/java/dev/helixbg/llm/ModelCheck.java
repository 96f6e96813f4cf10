package dev.helixbg.llm;

import dev.helixbg.llm.gguf.GgufDescription;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.nio.file.Path;

/**
 * Whether a file is a language model that can be run here, by its head alone; takes milliseconds.
 *
 * @param fit how near it comes to one
 * @param reason why it cannot be run, as a message; empty when it can
 */
public record ModelCheck(Fit fit, String reason) {
  /** The further down, the nearer to a model that can be run. */
  public enum Fit {
    /** Another format, or a damaged head. */
    NO_MODEL,
    /** Model of another architecture, or an embedding model. */
    OTHER_MODEL,
    /** Part of a model, or one that needs what is not supported. */
    UNUSABLE,
    USABLE
  }

  /** Reads the head of a file. */
  public static ModelCheck of(Path path) {
    Fit reached = Fit.NO_MODEL;
    try (MappedFile mapped = MappedFile.open(path)) {
      GgufDescription head = GgufDescription.of(mapped);
      reached = head.isSplit() ? Fit.UNUSABLE : Fit.OTHER_MODEL;
      head.requireWholeModel(path.toString());
      Qwen3Config.from(head.metadata());
      reached = Fit.UNUSABLE;
      Vocabulary.requireKnownForm(head.metadata());
      Qwen3.requireTensors(GgufFile.located(mapped, head));
      return new ModelCheck(Fit.USABLE, "");
    } catch (GgufException e) {
      return new ModelCheck(reached, e.getMessage());
    }
  }
}
