package dev.helixbg.config.text;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * Stream of UTF-8 to a terminal, or to a file that a terminal may show. The stream replaces or
 * escapes characters that a terminal executes or hides, since file names and error messages may
 * contain any character.
 */
public final class PrintableStream extends FilterOutputStream {
  private final UnaryOperator<String> safe;

  /** First bytes of a character whose last bytes are not written yet. */
  private byte[] begun = {};

  private PrintableStream(OutputStream out, UnaryOperator<String> safe) {
    super(out);
    this.safe = safe;
  }

  /** Returns a stream that replaces or drops characters that a terminal executes or hides. */
  public static PrintableStream text(OutputStream out) {
    return new PrintableStream(out, PrintableText::block);
  }

  /** Returns a stream for JSON, which escapes characters that a terminal executes or hides. */
  public static PrintableStream json(OutputStream out) {
    return new PrintableStream(out, PrintableText::json);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    byte[] all = Arrays.copyOf(begun, begun.length + length);
    System.arraycopy(bytes, offset, all, begun.length, length);
    int whole = wholeCharacters(all);
    begun = Arrays.copyOfRange(all, whole, all.length);
    out.write(
        safe.apply(new String(all, 0, whole, StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.UTF_8));
  }

  private static int wholeCharacters(byte[] bytes) {
    for (int back = 1; back <= Math.min(3, bytes.length); back++) {
      int b = bytes[bytes.length - back] & 0xFF;
      if (b >= 0xC0) {
        int needed = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
        return needed > back ? bytes.length - back : bytes.length;
      }
      if (b < 0x80) {
        break;
      }
    }
    return bytes.length;
  }
}
