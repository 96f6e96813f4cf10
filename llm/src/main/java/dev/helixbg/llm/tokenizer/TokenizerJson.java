package dev.helixbg.llm.tokenizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * Writes a vocabulary in the form that the HuggingFace tokenizers library reads.
 *
 * <p>The pattern, the normaliser and the byte-level steps are Qwen2's, as in the tokenizer.json
 * that Qwen publishes. Special tokens are left out on purpose: the library then cannot make them
 * from any text.
 */
final class TokenizerJson {
  /** Splits text before merging: contractions, words, single digits, punctuation, white space. */
  private static final String QWEN2_PATTERN =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r"
          + "\\n"
          + "\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r"
          + "\\n"
          + "]*|\\s*[\\r"
          + "\\n"
          + "]+|\\s+(?!\\S)|\\s+";

  private static final int BYTES_PER_TOKEN = 48;

  private TokenizerJson() {}

  static String of(Vocabulary vocabulary) {
    StringWriter text = new StringWriter(BYTES_PER_TOKEN * vocabulary.tokens().size());
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("version", "1.0");
      json.writeObjectFieldStart("normalizer");
      json.writeStringField("type", "NFC");
      json.writeEndObject();
      preTokenizer(json);
      model(json, vocabulary);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void preTokenizer(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("pre_tokenizer");
    json.writeStringField("type", "Sequence");
    json.writeArrayFieldStart("pretokenizers");
    json.writeStartObject();
    json.writeStringField("type", "Split");
    json.writeObjectFieldStart("pattern");
    json.writeStringField("Regex", QWEN2_PATTERN);
    json.writeEndObject();
    json.writeStringField("behavior", "Isolated");
    json.writeBooleanField("invert", false);
    json.writeEndObject();
    json.writeStartObject();
    json.writeStringField("type", "ByteLevel");
    json.writeBooleanField("add_prefix_space", false);
    json.writeBooleanField("trim_offsets", false);
    json.writeBooleanField("use_regex", false);
    json.writeEndObject();
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void model(JsonGenerator json, Vocabulary vocabulary) throws IOException {
    json.writeObjectFieldStart("model");
    json.writeStringField("type", "BPE");
    json.writeObjectFieldStart("vocab");
    for (int id = 0; id < vocabulary.tokens().size(); id++) {
      if (vocabulary.kinds()[id] == Vocabulary.Kind.NORMAL) {
        json.writeNumberField(vocabulary.tokens().get(id), id);
      }
    }
    json.writeEndObject();
    json.writeArrayFieldStart("merges");
    for (String merge : vocabulary.merges()) {
      json.writeString(merge);
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
