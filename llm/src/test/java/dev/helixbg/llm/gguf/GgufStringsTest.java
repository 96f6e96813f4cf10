package dev.helixbg.llm.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GgufStringsTest {

  private static GgufMetadata parse(List<byte[]> strings, String after) {
    GgufBytes bytes = GgufBytes.head(0, 2).key("k", GgufBytes.ARRAY);
    bytes.u32(GgufBytes.STRING).u64(strings.size());
    strings.forEach(utf8 -> bytes.u64(utf8.length).raw(utf8));
    byte[] file = bytes.entry("after", after).bytes();
    return GgufParser.describe("test", MemorySegment.ofArray(file)).metadata();
  }

  @ParameterizedTest
  @CsvSource({"0, 20", "1, 20", "5000, 20", "70000, 20", "3, 1", "3, 5000"})
  void stringsOfAnyLengthArePassedAndRead(int length, int count) {
    List<byte[]> strings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] text = new byte[Math.max(0, length - i % 3)];
      Arrays.fill(text, (byte) ('a' + i % 26));
      strings.add(text);
      strings.add("é".repeat(i % 20 * 37).getBytes(StandardCharsets.UTF_8));
    }
    GgufMetadata metadata = parse(strings, "x");
    assertEquals("x", metadata.text("after"));
    GgufStrings read = metadata.array("k", strings.size()).strings();
    assertEquals(strings.size(), read.size());
    for (int i = 0; i < read.size(); i++) {
      byte[] expected = strings.get(i);
      assertEquals(new String(expected, StandardCharsets.UTF_8), read.get(i));
      assertArrayEquals(expected, Arrays.copyOfRange(read.utf8(), read.start(i), read.end(i)));
    }
  }

  /** If another program changes the lengths in the file, reads still stay within the array. */
  @Test
  void lengthsThatChangedSinceTheyWereCheckedMoveNothing() {
    GgufBytes bytes = GgufBytes.head(0, 1).key("k", GgufBytes.ARRAY);
    byte[] file = bytes.u32(GgufBytes.STRING).u64(2).string("abc").string("def").bytes();
    GgufArray array =
        GgufParser.describe("test", MemorySegment.ofArray(file)).metadata().array("k", 2);
    int first = file.length - 2 * (8 + 3);
    for (int length : new int[] {4, 100, -1, Integer.MIN_VALUE, 14, 15}) {
      ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(first, length);
      assertEquals(List.of("abc", "def"), array.strings());
    }
  }
}
