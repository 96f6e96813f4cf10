package dev.helixbg.llm.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.tokenizer.Vocabulary.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map.Entry;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;

final class Vocabularies {
  static final Path CACHE = Path.of("target", "cache");

  private Vocabularies() {}

  /**
   * The vocabulary in a model file.
   *
   * @param kinds ggml's number of each token's kind
   */
  record Source(List<String> tokens, int[] kinds, List<String> merges) {}

  static Vocabulary golden() {
    try (GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_K_M.path()))) {
      return Vocabulary.from(file.metadata(), 1344);
    }
  }

  static Vocabulary qwen3() {
    return of(qwen3Source());
  }

  static Source qwen3Source() {
    JsonNode json = read("/qwen3/tokenizer.json.gz");
    JsonNode special = json.get("added_tokens");
    int size = json.get("model").get("vocab").size() + special.size();
    String[] tokens = new String[size];
    int[] kinds = new int[size];
    Arrays.fill(kinds, kind(Kind.NORMAL));
    for (Entry<String, JsonNode> token : json.get("model").get("vocab").properties()) {
      tokens[token.getValue().asInt()] = token.getKey();
    }
    for (JsonNode token : special) {
      tokens[token.get("id").asInt()] = token.get("content").asText();
      kinds[token.get("id").asInt()] =
          kind(token.get("special").asBoolean() ? Kind.CONTROL : Kind.USER_DEFINED);
    }
    List<String> merges =
        StreamSupport.stream(json.get("model").get("merges").spliterator(), false)
            .map(pair -> pair.get(0).asText() + " " + pair.get(1).asText())
            .collect(Collectors.toList());
    return new Source(List.of(tokens), kinds, merges);
  }

  private static int kind(Kind kind) {
    return kind.ordinal() + 1;
  }

  static Vocabulary of(Source source) {
    return of(source, writer -> writer.text("tokenizer.ggml.pre", "qwen2"));
  }

  static Vocabulary of(Source source, UnaryOperator<GgufWriter> more) {
    try {
      Path path = Files.createTempFile("vocabulary", ".gguf");
      try {
        write(path, source, more);
        try (GgufFile file = GgufFile.read(MappedFile.open(path))) {
          return Vocabulary.from(file.metadata(), source.tokens().size());
        }
      } finally {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path path, Source source, UnaryOperator<GgufWriter> more)
      throws IOException {
    more.apply(new GgufWriter())
        .text("tokenizer.ggml.model", "gpt2")
        .strings("tokenizer.ggml.tokens", source.tokens())
        .ints("tokenizer.ggml.token_type", source.kinds())
        .strings("tokenizer.ggml.merges", source.merges())
        .write(path);
  }

  private static JsonNode read(String resource) {
    try (var in = new GZIPInputStream(Vocabularies.class.getResourceAsStream(resource))) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
