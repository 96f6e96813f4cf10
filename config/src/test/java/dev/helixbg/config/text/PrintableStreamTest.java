package dev.helixbg.config.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrintableStreamTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private String written() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void whereverTheWritesAreCutTheTextIsTheSame() throws IOException {
    String text = String.join("\n", HostileText.CORPUS).replace("\r", "") + "é漢😀";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    String expected = PrintableText.block(new String(bytes, StandardCharsets.UTF_8));
    for (int cut = 0; cut <= bytes.length; cut++) {
      out.reset();
      PrintableStream stream = PrintableStream.text(out);
      stream.write(bytes, 0, cut);
      stream.write(bytes, cut, bytes.length - cut);
      assertEquals(expected, written());
    }
    out.reset();
    PrintableStream stream = PrintableStream.text(out);
    for (byte b : bytes) {
      stream.write(b);
    }
    assertEquals(expected, written());
  }

  @Test
  void bytesThatAreNoTextDoNotPassEither() throws IOException {
    Random random = new Random(11);
    for (int i = 0; i < 2_000; i++) {
      PrintableStream stream = PrintableStream.text(out);
      for (int n = random.nextInt(4); n >= 0; n--) {
        byte[] bytes = new byte[random.nextInt(6)];
        random.nextBytes(bytes);
        stream.write(bytes);
      }
    }
    byte[] all = out.toByteArray();
    assertEquals(written(), new String(all, StandardCharsets.UTF_8));
    HostileText.assertHarmless(written(), "the stream");
  }
}
