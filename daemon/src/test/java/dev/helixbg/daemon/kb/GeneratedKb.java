package dev.helixbg.daemon.kb;

import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Makes a KB of any size for tests and scripts/bench; each entry has 10 to 80 words. */
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

  /**
   * Arguments: folder, number of entries, words per entry (0: 10 to 80). With a state folder as
   * another argument, puts random vectors into the KB's store, because embedding would take too
   * long.
   */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    write(
        folder,
        Integer.parseInt(arguments[1]),
        arguments.length < 3 ? 0 : Integer.parseInt(arguments[2]));
    if (arguments.length == 4) {
      writeVectors(folder, Path.of(arguments[3]));
    }
  }

  public static Path write(Path folder, int entries) throws IOException {
    return write(folder, entries, 0);
  }

  private static Path write(Path folder, int entries, int wordsOfEach) throws IOException {
    Random random = new Random(42);
    DataLogBytes log = new DataLogBytes();
    for (int i = 0; i < entries; i++) {
      int words = wordsOfEach > 0 ? wordsOfEach : 10 + random.nextInt(71);
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

  /** Writes vectors under the name of the bundled model, each with a random direction. */
  private static void writeVectors(Path folder, Path state) throws IOException {
    String model =
        EmbeddingModel.locate(
                new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256),
                folder,
                1)
            .id();
    Map<TextKey, float[]> vectors = new HashMap<>();
    for (Entry entry : DataLog.read(folder.resolve("data.log")).entries()) {
      vectors.put(
          TextKey.of(model, entry.embeddedText()), FakeEmbedder.vectorOf(entry.embeddedText()));
    }
    UserDirectories directories = new UserDirectories(folder, state.resolve("natives"), state);
    Settings settings =
        new SettingsLoader(directories, Map.of()).load(Optional.empty(), Map.of()).settings();
    try (KbStores stores = new KbStores(settings, System.err::println)) {
      VectorStore.ofEntries(stores.of(new Kb(folder.toAbsolutePath().normalize())).database())
          .add(vectors);
    }
  }

  /** Appends an entry to the log of a KB. */
  public static void append(Path folder, String body) throws IOException {
    DataLogBytes log = new DataLogBytes();
    log.entry("news", body, 29_000_000);
    Files.write(folder.resolve("data.log"), log.records(), StandardOpenOption.APPEND);
  }
}
