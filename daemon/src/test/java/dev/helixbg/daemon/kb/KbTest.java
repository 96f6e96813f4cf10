package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KbTest {
  @TempDir Path home;

  private Settings settings(Map<String, String> environment) {
    return new SettingsLoader(locations(), environment).load(Optional.empty(), Map.of()).settings();
  }

  private UserDirectories locations() {
    return new UserDirectories(home, home.resolve("cache"), home.resolve("state"));
  }

  private Path kb(String name) throws IOException {
    Path folder = Files.createDirectories(home.resolve(name));
    Files.createFile(folder.resolve("data.log"));
    return folder;
  }

  private Path found(Path argument, Map<String, String> environment) {
    return Kb.find(Optional.ofNullable(argument), settings(environment), locations()).folder();
  }

  @Test
  void theArgumentBeatsTheEnvironmentWhichBeatsTheUsualPlaces() throws IOException {
    Path usual = kb(".helix-kb");
    Path environment = kb("environment");
    Path argument = kb("argument");
    Map<String, String> named = Map.of("HELIX_KB", environment.toString());
    assertEquals(argument, found(argument, named));
    assertEquals(environment, found(null, named));
    assertEquals(usual, found(null, Map.of()));
  }

  @Test
  void theFirstUsualPlaceWithALogWins() throws IOException {
    for (String usual : List.of(".local/share/helix", ".helix", ".helix-kb")) {
      assertEquals(kb(usual), found(null, Map.of()));
    }
  }

  @Test
  void theLogItselfNamesItsFolder() throws IOException {
    Path kb = kb("kb");
    Path log = kb.resolve("data.log");
    assertEquals(kb, found(log, Map.of()));
    assertEquals(kb, found(null, Map.of("HELIX_KB", log.toString())));
  }

  @Test
  void aNamedPlaceWithoutALogIsAnErrorEvenWhenAUsualOneHasOne() throws IOException {
    kb(".helix-kb");
    for (Path wrong :
        new Path[] {home.resolve("missing"), Files.createDirectory(home.resolve("empty"))}) {
      Failure failure = assertThrows(Failure.class, () -> found(wrong, Map.of()));
      assertEquals(ExitCode.KB, failure.code());
      assertTrue(failure.getMessage().contains(wrong.toString()), failure.getMessage());
    }
  }

  @Test
  void withoutAnyTheMessageListsWhereItLookedAndHowToTry() {
    String message = assertThrows(Failure.class, () -> found(null, Map.of())).getMessage();
    for (String usual : List.of(".helix-kb", ".helix", ".local/share/helix")) {
      assertTrue(message.contains(home.resolve(usual).toString()), message);
    }
    assertTrue(message.contains("one-shot --sample"), message);
  }
}
