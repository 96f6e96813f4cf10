package dev.helixbg.daemon.kb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.helixbg.insight.log.SampleKb;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** The sample KB in the program is what its source text makes. */
class SampleKbTest {
  private static final String SOURCE = "/sample/notes.md";
  private static final String LOG = "/sample/data.log";

  @Test
  void theSampleLogIsWhatItsSourceMakes() throws IOException {
    byte[] made = SampleKb.build(new String(resource(SOURCE), UTF_8));
    assertArrayEquals(made, resource(LOG), "make it again: SampleKb notes.md data.log");
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = SampleKbTest.class.getResourceAsStream(name)) {
      assertNotNull(in, name + " is missing");
      return in.readAllBytes();
    }
  }
}
