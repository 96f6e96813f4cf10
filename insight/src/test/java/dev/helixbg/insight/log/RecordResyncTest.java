package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that bytes count as text exactly if the JDK's decoder accepts them as UTF-8. */
class RecordResyncTest {

  @Test
  void agreesWithTheDecoderOnRandomBytes() {
    int[] telling = {
      0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5
    };
    Random random = new Random(1);
    for (int i = 0; i < 300_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(7)];
      for (int b = 0; b < bytes.length - 1; b++) {
        bytes[b] = (byte) telling[random.nextInt(telling.length)];
      }
      assertAgrees(bytes);
    }
  }

  @Test
  void agreesWithTheDecoderOnEveryThreeBytesAfterATellingLead() {
    for (int lead : new int[] {0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5}) {
      for (int rest = 0; rest < 1 << 16; rest++) {
        byte[] bytes = {(byte) lead, (byte) (rest >> 8), (byte) rest, (byte) 0x80, 0};
        assertAgrees(bytes);
      }
    }
  }

  @Test
  void aRunEndsAtControlCharactersAndMalformedBytesButNotAtACutCharacter() {
    byte[] text = "ä\tb\0".getBytes(UTF_8);
    assertEquals(2, textLength(text, 0, 5, false));
    assertEquals(4, textLength(text, 0, 5, true));
    assertEquals(1, textLength(text, 0, 1, false));
    assertEquals(0, textLength(text, 1, 4, false));
    assertEquals(1, textLength(new byte[] {'a', 0x7f}, 0, 2, false));
    assertEquals(2, textLength(new byte[] {'a', 0x7f}, 0, 2, true));
  }

  /** Checks that the bytes before the first NUL count as text exactly if they are valid UTF-8. */
  private static void assertAgrees(byte[] bytes) {
    int end = 0;
    while (bytes[end] != 0) {
      end++;
    }
    boolean isText = isUtf8(Arrays.copyOf(bytes, end));
    assertEquals(isText, textLength(bytes, 0, bytes.length, true) == end);
  }

  private static int textLength(byte[] bytes, int start, int most, boolean controls) {
    return new RecordResync(bytes).textLength(start, most, controls);
  }

  private static boolean isUtf8(byte[] bytes) {
    return new String(bytes, UTF_8).indexOf('\uFFFD') < 0; // no test encodes U+FFFD itself
  }
}
