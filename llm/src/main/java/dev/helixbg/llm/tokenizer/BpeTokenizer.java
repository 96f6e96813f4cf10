package dev.helixbg.llm.tokenizer;

import dev.helixbg.config.text.PrintableText;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Turns text into a model's token ids and back.
 *
 * <p>A text always becomes ordinary tokens. For example, {@code <|im_end|>} in a text becomes about
 * seven ordinary tokens, not a special token. Special tokens come from {@link #special} or {@link
 * #encodeWithSpecial}, which must never be used for data. Many threads may use one tokenizer at
 * once.
 *
 * <p>The normaliser and the pattern are taken from Qwen2's {@code tokenizer.json}.
 */
public final class BpeTokenizer {
  /** Pattern that splits text into contractions, words, single digits, punctuation, white space. */
  private static final Pattern WORD =
      Pattern.compile(
          "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
              + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
          Pattern.UNICODE_CHARACTER_CLASS);

  /** Tokens that end an answer in some Qwen vocabularies. */
  private static final Set<String> END_TOKENS = Set.of("<|im_end|>", "<|endoftext|>");

  final Vocabulary vocabulary;
  private final Map<String, Integer> special;

  public BpeTokenizer(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
    this.special = vocabulary.special();
  }

  public int[] encode(String text) {
    IntStream.Builder ids = IntStream.builder();
    String normal = Normalizer.normalize(PrintableText.wellFormed(text), Normalizer.Form.NFC);
    Matcher words = WORD.matcher(normal);
    while (words.find()) {
      vocabulary.encode(words.group(), ids);
    }
    return ids.build().toArray();
  }

  /**
   * Encodes a text in which the names of special tokens become special tokens. This method must not
   * be used for data, because data could contain tokens that end a turn and begin another turn.
   */
  public int[] encodeWithSpecial(String text) {
    if (special.isEmpty()) {
      return encode(text);
    }
    String any =
        special.keySet().stream()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .map(Pattern::quote)
            .collect(Collectors.joining("|"));
    IntStream.Builder ids = IntStream.builder();
    int at = 0;
    for (Matcher next = Pattern.compile(any).matcher(text); next.find(); at = next.end()) {
      IntStream.of(encode(text.substring(at, next.start()))).forEach(ids);
      ids.add(special.get(next.group()));
    }
    IntStream.of(encode(text.substring(at))).forEach(ids);
    return ids.build().toArray();
  }

  /** Returns a special token's id; throws a {@code GgufException} if there is no such token. */
  int special(String token) {
    Integer id = special.get(token);
    if (id == null) {
      throw vocabulary.lacks(token);
    }
    return id;
  }

  public Set<Integer> endTokens() {
    Set<Integer> ends = new TreeSet<>(vocabulary.ends());
    END_TOKENS.stream().map(special::get).filter(Objects::nonNull).forEach(ends::add);
    return ends;
  }

  /** Returns the text of tokens. Control tokens have no text; malformed UTF-8 becomes U+FFFD. */
  public String decode(int... ids) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int id : ids) {
      bytes.writeBytes(bytes(id));
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  public TextStream stream() {
    return new TextStream();
  }

  /** Returns a token's bytes: UTF-8 that may begin or end within a character. */
  byte[] bytes(int id) {
    return switch (vocabulary.kind(id)) {
      case NORMAL, BYTE -> bytes(vocabulary.text(id));
      case USER_DEFINED -> vocabulary.text(id).getBytes(StandardCharsets.UTF_8);
      case CONTROL, UNKNOWN, UNUSED -> new byte[0];
    };
  }

  private static byte[] bytes(String token) {
    byte[] bytes = new byte[token.length()];
    for (int i = 0; i < bytes.length; i++) {
      int b = ByteAlphabet.byteOf(token.charAt(i));
      if (b < 0) {
        return token.getBytes(StandardCharsets.UTF_8);
      }
      bytes[i] = (byte) b;
    }
    return bytes;
  }

  /**
   * Decoder of an answer that is still being generated. Each token yields the characters that it
   * completes, and never part of a character.
   */
  public final class TextStream {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);

    /** First bytes of an incomplete character. */
    private byte[] part = new byte[0];

    public String append(int id) {
      byte[] bytes = bytes(id);
      ByteBuffer in = ByteBuffer.allocate(part.length + bytes.length).put(part).put(bytes).flip();
      CharBuffer out = CharBuffer.allocate(in.remaining());
      decoder.decode(in, out, false);
      part = new byte[in.remaining()];
      in.get(part);
      return out.flip().toString();
    }

    /** Ends the text. Returns U+FFFD if a character is incomplete. */
    public String finish() {
      String text = new String(part, StandardCharsets.UTF_8);
      part = new byte[0];
      return text;
    }
  }
}
