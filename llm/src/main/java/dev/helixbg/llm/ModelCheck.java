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
 * Checks whether a file is a language model that the engine can run. The check reads only the
 * file's head (metadata and list of tensors), and takes milliseconds.
 *
 * @param reason message that tells why the model cannot be run; empty if the model can be run
 */
public record ModelCheck(Fit fit, String reason) {
  /** Results of the check, from the worst to the best. */
  public enum Fit {
    /** The file has another format, or its head is damaged. */
    NO_MODEL,
    /** The file is a model of another architecture, or an embedding model. */
    OTHER_MODEL,
    /** The file is part of a model, or a model that needs an unsupported feature. */
    UNUSABLE,
    USABLE
  }

  public static ModelCheck of(Path path) {
    Fit reached = Fit.NO_MODEL;
    try (MappedFile mapped = MappedFile.open(path)) {
      GgufDescription head = GgufDescription.of(mapped);
      reached = head.isSplit() ? Fit.UNUSABLE : Fit.OTHER_MODEL;
      head.requireWholeModel();
      Qwen3Config.from(head.metadata());
      reached = Fit.UNUSABLE;
      Vocabulary.requireKnownForm(head.metadata());
      Vocabulary.chatTemplate(head.metadata());
      Qwen3.requireTensors(GgufFile.located(mapped, head));
      return new ModelCheck(Fit.USABLE, "");
    } catch (GgufException e) {
      return new ModelCheck(reached, e.getMessage());
    }
  }
}
