package dev.helixbg.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UserDirectoriesTest {
  @Test
  void homeIsTheVariableElseTheAccounts() {
    assertEquals(
        Path.of("/h"), UserDirectories.of(Map.of("HOME", "/h"), "/account", "Linux").home());
    assertEquals(Path.of("/account"), UserDirectories.of(Map.of(), "/account", "Linux").home());
    // Java's user.home of a user who is missing in the list of users.
    ConfigException none =
        assertThrows(ConfigException.class, () -> UserDirectories.of(Map.of(), "?", "Linux"));
    assertTrue(none.getMessage().contains("set HOME"), none.getMessage());
    assertEquals(
        Path.of("/account"), UserDirectories.of(Map.of("HOME", ""), "/account", "Linux").home());
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, '', /h/.cache/helix-bg, /h/.local/state/helix-bg",
    "Mac OS X, '', /h/Library/Caches/helix-bg, /h/Library/Application Support/helix-bg",
    "Linux, /x, /x/helix-bg, /x/helix-bg",
    "Linux, relative, /h/.cache/helix-bg, /h/.local/state/helix-bg"
  })
  void foldersFollowThePlatform(String os, String xdg, Path cache, Path state) {
    var environment = Map.of("HOME", "/h", "XDG_CACHE_HOME", xdg, "XDG_STATE_HOME", xdg);
    assertEquals(
        new UserDirectories(Path.of("/h"), cache, state),
        UserDirectories.of(environment, "/account", os));
  }
}
