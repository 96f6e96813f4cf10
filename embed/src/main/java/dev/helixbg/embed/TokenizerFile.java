package dev.helixbg.embed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * <p>Only the vocabulary and the switches of the normaliser come from the model; the rest is BERT's
 * standard. There are two reasons. The native library aborts the process if a definition is
 * malformed in certain ways. And with the usual definitions, {@code [SEP]} in a note would become
 * the special token instead of five characters.
 */
final class TokenizerFile {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> SPECIAL = List.of("[UNK]", "[CLS]", "[SEP]");

  /**
   * Template of the definition, without vocabulary and ids. With {@code strip_accents} null, {@code
   * lowercase} strips accents, too. The field {@code pair} is required but not used.
   */
  private static final String BERT =
      """
      {"version": "1.0",
       "added_tokens": [],
       "normalizer": {
         "type": "BertNormalizer",
         "clean_text": true,
         "handle_chinese_chars": true,
         "lowercase": true,
         "strip_accents": null},
       "pre_tokenizer": {"type": "BertPreTokenizer"},
       "post_processor": {
         "type": "TemplateProcessing",
         "single": [
           {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
           {"Sequence": {"id": "A", "type_id": 0}},
           {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
         "pair": [
           {"Sequence": {"id": "A", "type_id": 0}},
           {"Sequence": {"id": "B", "type_id": 0}}],
         "special_tokens": {
           "[CLS]": {"id": "[CLS]", "ids": [], "tokens": ["[CLS]"]},
           "[SEP]": {"id": "[SEP]", "ids": [], "tokens": ["[SEP]"]}}},
       "model": {
         "type": "WordPiece",
         "unk_token": "[UNK]",
         "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 100}}
      """;

  private TokenizerFile() {}

  static byte[] prepare(Path source) throws IOException {
    return source.toString().endsWith(".txt") ? fromVocabulary(source) : fromDefinition(source);
  }

  private static byte[] fromVocabulary(Path source) throws IOException {
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

  private static byte[] fromDefinition(Path source) throws IOException {
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

  private static byte[] definition(ObjectNode vocabulary, JsonNode normalizer, Path source)
      throws IOException {
    checkIds(vocabulary, source);
    JsonNode definition = JSON.readTree(BERT);
    ObjectNode switches = (ObjectNode) definition.get("normalizer");
    for (String name : List.of("clean_text", "handle_chinese_chars", "lowercase")) {
      switches.put(name, normalizer.path(name).asBoolean(true));
    }
    if (normalizer.path("strip_accents").isBoolean()) {
      switches.set("strip_accents", normalizer.get("strip_accents"));
    }
    JsonNode special = definition.at("/post_processor/special_tokens");
    for (JsonNode token : special) {
      ((ObjectNode) token).putArray("ids").add(vocabulary.get(token.get("id").asText()).intValue());
    }
    ((ObjectNode) definition.get("model")).set("vocab", vocabulary);
    return JSON.writeValueAsBytes(definition);
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
        "the tokenizer %s cannot be used: %s. Put the tokenizer.json or vocab.txt of all-MiniLM-L6-v2 there, or remove model.onnx to use the bundled model"
            .formatted(source, found));
  }
}
