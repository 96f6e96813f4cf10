package dev.helixbg.daemon.kb;

import dev.helixbg.insight.log.DataLogBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** Makes a KB of any size, each entry a note of 10 to 80 words, for tests and scripts/bench. */
public final class GeneratedKb {
  private static final String[] WORDS =
      ("the a queue worker broker cache index record batch lease token cursor upload photo survey"
           + " restarts fails returns keeps holds waits writes reads drops after before when while"
           + " because so that timeout retry limit schema migration server client disk memory"
           + " slowly twice never always stale missing wrong second megabyte request response")
          .split(" ");

  private static final String[] TOPICS = {
    "auth", "billing", "cli", "config", "deploy", "engine", "network", "ops", "search", "storage"
  };

  private GeneratedKb() {}

  /** Arguments: folder, entries. */
  public static void main(String[] arguments) throws IOException {
    write(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
  }

  public static Path write(Path folder, int entries) throws IOException {
    Random random = new Random(42);
    DataLogBytes log = new DataLogBytes();
    for (int i = 0; i < entries; i++) {
      int words = 10 + random.nextInt(71);
      StringBuilder body = new StringBuilder("Note " + i + ":");
      for (int w = 0; w < words; w++) {
        body.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
      }
      log.entry(TOPICS[random.nextInt(TOPICS.length)], body.toString(), 29_000_000 + i);
    }
    Files.createDirectories(folder);
    Files.write(folder.resolve("data.log"), log.toByteArray());
    return folder;
  }

  /** Adds one entry to the log of any KB. */
  public static void append(Path folder, String body) throws IOException {
    DataLogBytes log = new DataLogBytes();
    log.entry("news", body, 29_000_000);
    Files.write(folder.resolve("data.log"), log.records(), StandardOpenOption.APPEND);
  }
}
