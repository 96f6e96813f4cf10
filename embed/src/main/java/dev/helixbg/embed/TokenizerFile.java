package dev.helixbg.embed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Makes the tokenizer definition that {@link Tokenizer} opens, from a model's {@code
 * tokenizer.json} or from its {@code vocab.txt}.
 *
 * <p>Only the vocabulary and the switches of the normaliser are taken over; the rest of the BERT
 * tokenizer is written anew. There are two reasons. The native library aborts the process on some
 * malformed definitions. And the usual ones find special tokens in text, where a note that quotes
 * {@code [SEP]} means these five characters.
 */
final class TokenizerFile {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> SPECIAL = List.of("[UNK]", "[CLS]", "[SEP]");

  private TokenizerFile() {}

  /**
   * The prepared definition, as JSON.
   *
   * @throws EmbeddingException when the source is no BERT tokenizer
   */
  static byte[] prepare(Path source) throws IOException {
    boolean isVocabulary = source.getFileName().toString().endsWith(".txt");
    ObjectNode definition = isVocabulary ? fromVocabulary(source) : fromDefinition(source);
    return JSON.writeValueAsBytes(definition);
  }

  /** One word piece per line, ids counted from 0. */
  private static ObjectNode fromVocabulary(Path source) throws IOException {
    ObjectNode vocabulary = JSON.createObjectNode();
    try {
      List<String> pieces = Files.readAllLines(source);
      for (int id = 0; id < pieces.size(); id++) {
        vocabulary.put(pieces.get(id), id);
      }
    } catch (CharacterCodingException e) {
      throw unsuitable(source, "it is not UTF-8 text");
    }
    return definition(vocabulary, JSON.createObjectNode(), source);
  }

  private static ObjectNode fromDefinition(Path source) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(source.toFile());
    } catch (JsonProcessingException e) {
      throw unsuitable(source, "it is not valid JSON: " + e.getOriginalMessage());
    }
    JsonNode model = root.path("model");
    JsonNode normalizer = root.path("normalizer");
    if (!model.path("type").asText("WordPiece").equals("WordPiece")
        || !model.path("continuing_subword_prefix").asText("##").equals("##")
        || !normalizer.path("type").asText().equals("BertNormalizer")
        || !root.path("pre_tokenizer").path("type").asText().equals("BertPreTokenizer")) {
      throw unsuitable(source, "it does not describe BERT's word pieces");
    }
    if (!(model.path("vocab") instanceof ObjectNode vocabulary)) {
      throw unsuitable(source, "it has no vocabulary");
    }
    return definition(vocabulary, normalizer, source);
  }

  private static ObjectNode definition(ObjectNode vocabulary, JsonNode normalizer, Path source) {
    checkIds(vocabulary, source);
    ObjectNode definition = JSON.createObjectNode();
    definition.put("version", "1.0");
    definition.putArray("added_tokens");
    definition
        .putObject("normalizer")
        .put("type", "BertNormalizer")
        .put("clean_text", normalizer.path("clean_text").asBoolean(true))
        .put("handle_chinese_chars", normalizer.path("handle_chinese_chars").asBoolean(true))
        .put("lowercase", normalizer.path("lowercase").asBoolean(true))
        .set("strip_accents", stripAccents(normalizer));
    definition.putObject("pre_tokenizer").put("type", "BertPreTokenizer");
    ObjectNode template = definition.putObject("post_processor");
    template.put("type", "TemplateProcessing");
    addText(addSpecial(template.putArray("single"), "[CLS]"), "A");
    addSpecial((ArrayNode) template.get("single"), "[SEP]");
    addText(addText(template.putArray("pair"), "A"), "B"); // never used, but required
    ObjectNode special = template.putObject("special_tokens");
    for (String token : List.of("[CLS]", "[SEP]")) {
      ObjectNode one = special.putObject(token).put("id", token);
      one.putArray("ids").add(vocabulary.get(token).intValue());
      one.putArray("tokens").add(token);
    }
    definition
        .putObject("model")
        .put("type", "WordPiece")
        .put("unk_token", "[UNK]")
        .put("continuing_subword_prefix", "##")
        .put("max_input_chars_per_word", 100)
        .set("vocab", vocabulary);
    return definition;
  }

  /** Absent means: as {@code lowercase}. */
  private static JsonNode stripAccents(JsonNode normalizer) {
    JsonNode value = normalizer.path("strip_accents");
    return value.isBoolean() ? value : JsonNodeFactory.instance.nullNode();
  }

  private static ArrayNode addSpecial(ArrayNode template, String token) {
    template.addObject().putObject("SpecialToken").put("id", token).put("type_id", 0);
    return template;
  }

  private static ArrayNode addText(ArrayNode template, String sequence) {
    template.addObject().putObject("Sequence").put("id", sequence).put("type_id", 0);
    return template;
  }

  private static void checkIds(ObjectNode vocabulary, Path source) {
    for (Map.Entry<String, JsonNode> piece : vocabulary.properties()) {
      if (!piece.getValue().isInt() || piece.getValue().intValue() < 0) {
        throw unsuitable(source, "the id of \"" + piece.getKey() + "\" is no number");
      }
    }
    for (String token : SPECIAL) {
      if (!vocabulary.has(token)) {
        throw unsuitable(source, "its vocabulary has no " + token);
      }
    }
  }

  private static EmbeddingException unsuitable(Path source, String found) {
    return new EmbeddingException(
        "the tokenizer "
            + source
            + " cannot be used: "
            + found
            + ". Put the tokenizer.json or vocab.txt of all-MiniLM-L6-v2 there, or remove"
            + " model.onnx to use the bundled model");
  }
}
