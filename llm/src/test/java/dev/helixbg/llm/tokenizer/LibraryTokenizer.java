package dev.helixbg.llm.tokenizer;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.natives.TokenizerLibrary;
import dev.helixbg.llm.tokenizer.Vocabularies.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.LongStream;

/**
 * The HuggingFace tokenizers library with a vocabulary in Qwen2's format. Tests compare this
 * project's tokenizer with it.
 */
final class LibraryTokenizer implements AutoCloseable {
  private static final TokenizersLibrary LIBRARY = TokenizersLibrary.LIB;

  /** Definition of the tokenizer, as Qwen publishes it, but without vocabulary and merges. */
  private static final String DEFINITION =
      """
      {"version": "1.0",
       "normalizer": {"type": "NFC"},
       "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
         {"type": "Split", "behavior": "Isolated", "invert": false, "pattern": {"Regex":
           "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}|\
       ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"}},
         {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false,
          "use_regex": false}]},
       "model": {"type": "BPE", "vocab": {}, "merges": []}}
      """;

  private final long handle;

  /** Adds only the ordinary tokens of {@code source}, so no text becomes a special token. */
  LibraryTokenizer(Source source) {
    try {
      TokenizerLibrary.load(Vocabularies.CACHE);
      ObjectNode definition = (ObjectNode) new ObjectMapper().readTree(DEFINITION);
      ObjectNode vocabulary = (ObjectNode) definition.at("/model/vocab");
      for (int id = 0; id < source.tokens().size(); id++) {
        if (source.kinds()[id] == 1) {
          vocabulary.put(source.tokens().get(id), id);
        }
      }
      ArrayNode merges = (ArrayNode) definition.at("/model/merges");
      source.merges().forEach(merges::add);
      handle = LIBRARY.createTokenizerFromString(definition.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int[] encode(String text) {
    long encoding = LIBRARY.encode(handle, text, false);
    try {
      return LongStream.of(LIBRARY.getTokenIds(encoding)).mapToInt(id -> (int) id).toArray();
    } finally {
      LIBRARY.deleteEncoding(encoding);
    }
  }

  @Override
  public void close() {
    LIBRARY.deleteTokenizer(handle);
  }
}
