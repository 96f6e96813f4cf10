package dev.helixbg.llm.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The text of an answer while it grows: each token gives the characters that it completes, and
 * never a part of one.
 */
public final class TextStream {
  private static final int LONGEST_PART = 3;

  private final Tokenizer tokenizer;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  /** The first bytes of a character whose others are still to come. */
  private byte[] part = new byte[0];

  TextStream(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /** The characters that are complete with this token; often one word, sometimes none. */
  public String append(int id) {
    byte[] bytes = tokenizer.bytes(id);
    ByteBuffer in = ByteBuffer.allocate(part.length + bytes.length).put(part).put(bytes).flip();
    String text = decode(in, false);
    part = new byte[in.remaining()];
    in.get(part);
    return text;
  }

  /** What is left when no token follows: nothing, or U+FFFD for a character that never ended. */
  public String finish() {
    String text = decode(ByteBuffer.wrap(part), true);
    part = new byte[0];
    decoder.reset();
    return text;
  }

  private String decode(ByteBuffer in, boolean last) {
    CharBuffer out = CharBuffer.allocate(in.remaining() + LONGEST_PART);
    decoder.decode(in, out, last);
    if (last) {
      decoder.flush(out);
    }
    return out.flip().toString();
  }
}
