package dev.helixbg.embed.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class HxecFileTest {
  private static byte[] written(List<Long> offsets, List<float[]> vectors) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    HxecFile.write(out, offsets, vectors);
    return out.toByteArray();
  }

  private static List<float[]> vectors(int count) {
    return List.copyOf(UnitVectors.of(0, count).values());
  }

  @Test
  void aFileIsHxecByteForByte() throws IOException {
    List<Long> offsets = List.of(0L, 8L, 0x8000_0000L, 0xFFFF_FFFFL); // beyond a signed int
    List<float[]> vectors = vectors(4);
    ByteBuffer expected =
        ByteBuffer.allocate(16 + 4 * (4 + 384 * 4)).order(ByteOrder.LITTLE_ENDIAN);
    expected.put("HXEC".getBytes(StandardCharsets.US_ASCII));
    expected.putInt(1).putInt(4).putInt(384);
    for (int i = 0; i < 4; i++) {
      expected.putInt(offsets.get(i).intValue());
      for (float value : vectors.get(i)) {
        expected.putFloat(value);
      }
    }
    assertArrayEquals(expected.array(), written(offsets, vectors));
  }

  @Test
  void aFileOfNoEntriesIsAHeader() throws IOException {
    byte[] bytes = written(List.of(), List.of());
    assertArrayEquals(
        new byte[] {'H', 'X', 'E', 'C', 1, 0, 0, 0, 0, 0, 0, 0, (byte) 0x80, 1, 0, 0}, bytes);
  }

  @Test
  void offsetsAscendAndFit32Bits() {
    for (List<Long> wrong :
        List.of(
            List.of(8L, 8L),
            List.of(9L, 8L),
            List.of(-1L, 8L),
            List.of(8L, 1L << 32),
            List.of(Long.MIN_VALUE, Long.MAX_VALUE))) {
      String said =
          assertThrows(IllegalArgumentException.class, () -> written(wrong, vectors(2)))
              .getMessage();
      assertTrue(said.endsWith("must ascend and fit 32 bits"), said);
    }
  }

  @Test
  void onlyVectorsOfUnitLengthAreWritten() {
    float[] infinite = new float[384];
    infinite[0] = Float.POSITIVE_INFINITY;
    for (float[] wrong : new float[][] {new float[384], infinite, {1}}) {
      assertThrows(IllegalArgumentException.class, () -> written(List.of(8L), List.of(wrong)));
    }
  }

  @Test
  void aDiskThatIsFullIsAnError() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException("full");
          }
        };
    IOException e =
        assertThrows(IOException.class, () -> HxecFile.write(full, List.of(8L), vectors(1)));
    assertEquals("full", e.getMessage());
  }
}
