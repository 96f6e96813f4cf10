package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a million entries can be read in a heap that is hardly larger than the entries. */
class ManyEntriesTest {
  private static final int ENTRIES = 1_000_000;

  /**
   * Heap of the JVM. An entry of 28 characters needs about 170 bytes: Entry, EntryText, String, its
   * bytes, and places in lists.
   */
  private static final String HEAP = "-Xmx280m";

  @TempDir Path folder;

  @Test
  void aMillionEntriesAreReadInAHeapThatBarelyHoldsThem() throws Exception {
    DataLogBytes log = new DataLogBytes();
    for (int i = 0; i < ENTRIES; i++) {
      log.entry("topic-" + i % 40, "short entry number " + i, 29_000_000 + i / 10);
    }
    Path file = Files.write(folder.resolve("data.log"), log.toByteArray());
    Path said = folder.resolve("said");
    Process reader =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+UseG1GC",
                "-cp",
                String.join(
                    File.pathSeparator,
                    placeOf(Sha256.class).toString(),
                    placeOf(DataLog.class).toString(),
                    placeOf(getClass()).toString()),
                Reader.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      reader.waitFor(60, TimeUnit.SECONDS);
    } finally {
      reader.destroyForcibly().waitFor();
    }
    assertEquals(ENTRIES + " short entry number 999999 40 topics", Files.readString(said).strip());
  }

  /** The program that runs in the small heap. */
  static final class Reader {
    public static void main(String[] args) throws IOException {
      LogReading reading = DataLog.read(Path.of(args[0]));
      var topics = new IdentityHashMap<String, Boolean>();
      reading.entries().forEach(entry -> topics.put(entry.topic(), true));
      String last = reading.entries().getLast().body();
      System.out.println(reading.entries().size() + " " + last + " " + topics.size() + " topics");
    }
  }

  private static Path placeOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
