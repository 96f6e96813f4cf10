package dev.helixbg.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.config.Settings.DaemonSettings.LogLevel;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsLoaderTest {
  @TempDir Path home;

  private Map<String, String> environment = new HashMap<>();

  private SettingsLoader.Loaded load(String toml, Map<String, String> flags) throws IOException {
    UserDirectories locations =
        new UserDirectories(home, home.resolve("cache"), home.resolve("state"));
    Files.createDirectories(home.resolve(".helix"));
    Files.writeString(locations.defaultConfigFile(), toml);
    return new SettingsLoader(locations, environment).load(Optional.empty(), flags);
  }

  private String origin(SettingsLoader.Loaded loaded, String name) {
    return loaded.effective().stream()
        .filter(e -> e.name().equals(name))
        .findFirst()
        .orElseThrow()
        .origin();
  }

  private String failure(String toml, Map<String, String> flags) {
    return assertThrows(ConfigException.class, () -> load(toml, flags)).getMessage();
  }

  @Test
  void defaultsAreThoseOfTheDocumentation() throws IOException {
    Settings settings = load("", Map.of()).settings();
    assertEquals(Optional.empty(), settings.kb());
    assertEquals(Runtime.getRuntime().availableProcessors(), settings.threads());
    assertEquals(home.resolve("cache"), settings.cache());
    assertEquals(home.resolve("state"), settings.state());
    assertEquals(
        new EmbedSettings(
            home.resolve(".helix/models"), ExecutionProvider.AUTO, Precision.AUTO, 256),
        settings.embed());
    assertEquals(
        new DaemonSettings(
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Optional.of(Duration.ofMinutes(10)),
            Duration.ofMinutes(2),
            0.5,
            false,
            (Runtime.getRuntime().availableProcessors() + 1) / 2,
            LogLevel.INFO),
        settings.daemon());
  }

  @Test
  void idleTimesKnowNeverAndAtOnce() throws IOException {
    String toml = "[daemon]\nembedder_idle_minutes = -1\n";
    DaemonSettings daemon = load(toml, Map.of("daemon.quiet_seconds", "0.25")).settings().daemon();
    assertEquals(Optional.empty(), daemon.embedderIdle());
    assertEquals(
        Optional.of(Duration.ZERO),
        load("", Map.of("daemon.embedder_idle_minutes", "0")).settings().daemon().embedderIdle());
    assertEquals(Duration.ofMillis(250), daemon.quiet());
    assertEquals(2, load("threads = 3", Map.of()).settings().daemon().modelThreads());
    assertEquals(
        5, load("", Map.of("daemon.model_threads", "5")).settings().daemon().modelThreads());
  }

  @Test
  void flagsBeatTheEnvironmentWhichBeatsTheFileWhichBeatsDefaults() throws IOException {
    String toml =
        "threads = 3\n[embed]\nmax_tokens = 100\nprecision = \"int8\"\nprovider = \"cpu\"\n";
    environment.put("HELIX_BG_EMBED_MAX_TOKENS", "101");
    environment.put("HELIX_BG_EMBED_PRECISION", "fp32");
    var loaded = load(toml, Map.of("embed.max_tokens", "102"));
    assertEquals(3, loaded.settings().threads());
    assertEquals(102, loaded.settings().embed().maxTokens());
    assertEquals(Precision.FP32, loaded.settings().embed().precision());
    assertEquals(ExecutionProvider.CPU, loaded.settings().embed().provider());
    assertEquals("flag", origin(loaded, "embed.max_tokens"));
    assertEquals("HELIX_BG_EMBED_PRECISION", origin(loaded, "embed.precision"));
    assertEquals(home.resolve(".helix/helix-bg.toml").toString(), origin(loaded, "embed.provider"));
    assertEquals("default", origin(loaded, "daemon.quiet_seconds"));
  }

  @Test
  void helixKbNamesTheKnowledgeBase() throws IOException {
    environment.put("HELIX_KB", "/somewhere/kb");
    var loaded = load("kb = \"~/notes\"", Map.of());
    assertEquals(Optional.of(Path.of("/somewhere/kb")), loaded.settings().kb());
    environment.clear();
    assertEquals(
        Optional.of(home.resolve("notes")), load("kb = \"~/notes\"", Map.of()).settings().kb());
    environment.put(
        "HELIX_KB", "some/kb"); // a variable of the program helix, which may have any value
    assertEquals(
        Optional.of(Path.of("some/kb").toAbsolutePath()), load("", Map.of()).settings().kb());
  }

  @Test
  void whatIsShownAsTomlIsRead() throws IOException {
    for (String toml : List.of("kb = \"/a\\\"b\\\\c\"", "daemon.poll_seconds = 30.0")) {
      String shown =
          load(toml, Map.of()).effective().stream()
              .filter(one -> toml.startsWith(one.name() + " "))
              .map(one -> one.name() + " = " + one.toml())
              .findFirst()
              .orElseThrow();
      assertEquals(toml, shown);
    }
  }

  /** A map of environment variables can return them in any order. */
  @Test
  void theOwnVariableBeatsHelixKbInAnyOrder() throws IOException {
    environment = new LinkedHashMap<>();
    for (List<String> order :
        List.of(List.of("HELIX_KB", "HELIX_BG_KB"), List.of("HELIX_BG_KB", "HELIX_KB"))) {
      environment.clear();
      order.forEach(name -> environment.put(name, "/" + name));
      assertEquals("HELIX_BG_KB", origin(load("", Map.of()), "kb"));
    }
  }

  @Test
  void anEmptyVariableCountsAsUnsetUnlessItIsAList() throws IOException {
    for (String name :
        List.of("HELIX_KB", "HELIX_BG_LLM_MODEL", "HELIX_BG_CONFIG", "HELIX_BG_THREADS")) {
      environment.put(name, "");
    }
    environment.put("HELIX_BG_SOURCES", "");
    Settings settings = load("kb = \"/kb\"\nsources = [\"/a\"]\nthreads = 3", Map.of()).settings();
    assertEquals(Optional.of(Path.of("/kb")), settings.kb());
    assertEquals(3, settings.threads());
    assertEquals(List.of(), settings.sources());
    environment.put("HELIX_BG_KB", "");
    environment.put("HELIX_KB", "/other");
    assertEquals("HELIX_KB", origin(load("", Map.of()), "kb"));
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFile() throws IOException {
    assertEquals(3, load("\uFEFFthreads = 3", Map.of()).settings().threads());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "threads = -1 | threads",
        "threads = 1.5 | threads",
        "threads = \"2\" | threads",
        "embed.provider = \"gpu\" | embed.provider",
        "embed.provider = \"CPU\" | embed.provider",
        "embed.max_tokens = 513 | embed.max_tokens",
        "daemon.model_max_load = nan | daemon.model_max_load",
        "daemon.model_max_load = -0.1 | daemon.model_max_load",
        "daemon.modelmaxload = 0.9 | daemon.modelmaxload",
        "daemon = 3 | daemon",
        "colour = true | colour",
        "kb = \"relative/kb\" | kb",
        "cache = \"\" | cache",
        "daemon.poll_seconds = 0 | daemon.poll_seconds",
        "daemon.embedder_idle_minutes = -2 | daemon.embedder_idle_minutes",
        "daemon.model_on_battery = \"yes\" | daemon.model_on_battery",
        "sources = \"~/a\" | texts in quotes, between brackets",
        "sources = [1] | texts in quotes, between brackets",
        "sources = [\"a\"] | absolute or beginning with ~/",
        "sources = [\"/a:/b\"] | must not contain :",
        "threads = | line 1",
        "threads = 1\\nthreads = 2 | line 2",
      })
  void aWrongLineIsAnErrorThatNamesIt(String toml, String named) {
    String message = failure(toml.replace("\\n", "\n"), Map.of());
    assertTrue(message.contains(named), message);
  }

  @Test
  void aMistypedNameComesWithTheOneThatWasProbablyMeant() {
    for (String toml : List.of("threds = 2", "embed.precison = \"int8\"", "[llm]\nsecnds = 4")) {
      String message = failure(toml, Map.of());
      assertTrue(
          message.matches(".*did you mean (threads|embed.precision|llm.seconds)\\?"), message);
    }
    assertTrue(failure("", Map.of("thread", "2")).endsWith("did you mean threads?"));
    assertTrue(failure("", Map.of("threads", "many")).contains("threads = many (flag)"));
    assertTrue(failure("", Map.of("embed.precison", "int8")).contains("embed.precison"));
    String unlike = failure("colour = true", Map.of());
    assertTrue(unlike.endsWith("; 'helix-bg config' lists all settings"), unlike);
    environment.put("HELIX_BG_THREDS", "2");
    assertTrue(failure("", Map.of()).endsWith("did you mean HELIX_BG_THREADS?"));
  }

  @Test
  void launcherVariablesAreNoSettings() throws IOException {
    environment.put("HELIX_BG_LAUNCHER_TERMINALS", "12");
    load("", Map.of());
  }

  @Test
  void aNamedFileMustBeAFileInUtf8() throws IOException {
    Path latin = Files.write(home.resolve("latin.toml"), "# f\u00fcr\n".getBytes(ISO_8859_1));
    assertEquals(latin + " is not UTF-8: save it as UTF-8", failureOf(Optional.of(latin)));
    assertEquals(
        "cannot read the configuration file " + home + ": Is a directory",
        failureOf(Optional.of(home)));
    Path missing = home.resolve("nowhere.toml");
    assertTrue(failureOf(Optional.of(missing)).contains(missing.toString()));
    environment.put("HELIX_BG_CONFIG", "~/nowhere.toml");
    assertTrue(failureOf(Optional.empty()).contains(missing.toString()));
    environment.clear();
    Path usual = home.resolve(".helix/helix-bg.toml");
    Files.createDirectories(usual.getParent());
    Files.deleteIfExists(usual);
    Files.createSymbolicLink(usual, missing);
    assertTrue(failureOf(Optional.empty()).contains(usual + ": "));
  }

  private String failureOf(Optional<Path> file) {
    var loader = new SettingsLoader(new UserDirectories(home, home, home), environment);
    return assertThrows(ConfigException.class, () -> loader.load(file, Map.of())).getMessage();
  }

  @Test
  void sourcesAreAListInTheFileAndOneTextElsewhere() throws IOException {
    assertEquals(List.of(), load("", Map.of()).settings().sources());
    assertEquals(List.of(), load("sources = []", Map.of()).settings().sources());
    SettingsLoader.Loaded loaded = load("sources = [\"~/a\", \"/b/../c\", \"~/a\"]", Map.of());
    assertEquals(List.of(home.resolve("a"), Path.of("/c")), loaded.settings().sources());
    assertTrue(
        loaded.effective().stream()
            .anyMatch(one -> one.toml().equals("[\"~/a\", \"/b/../c\", \"~/a\"]")));
    environment.put("HELIX_BG_SOURCES", "/d:~/e");
    assertEquals(
        List.of(Path.of("/d"), home.resolve("e")), load("", Map.of()).settings().sources());
    assertEquals(List.of(Path.of("/f")), load("", Map.of("sources", "/f:")).settings().sources());
  }
}
