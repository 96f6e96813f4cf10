package dev.helixbg.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserDirectoriesTest {
  @Test
  void homeIsTheVariableElseTheAccounts() {
    assertEquals(
        Path.of("/h"), UserDirectories.of(Map.of("HOME", "/h"), "/account", "Linux").home());
    assertEquals(Path.of("/account"), UserDirectories.of(Map.of(), "/account", "Linux").home());
    // As Java calls the home of a user that is not in the list of users.
    ConfigException none =
        assertThrows(ConfigException.class, () -> UserDirectories.of(Map.of(), "?", "Linux"));
    assertTrue(none.getMessage().contains("set HOME"), none.getMessage());
    assertEquals(
        Path.of("/account"), UserDirectories.of(Map.of("HOME", ""), "/account", "Linux").home());
  }

  @Test
  void cacheFollowsThePlatform() {
    var home = Map.of("HOME", "/h");
    assertEquals(
        Path.of("/h/.cache/helix-bg"), UserDirectories.of(home, "/a", "Linux").defaultCache());
    assertEquals(
        Path.of("/h/Library/Caches/helix-bg"),
        UserDirectories.of(home, "/a", "Mac OS X").defaultCache());
    var xdg = Map.of("HOME", "/h", "XDG_CACHE_HOME", "/x");
    assertEquals(Path.of("/x/helix-bg"), UserDirectories.of(xdg, "/a", "Linux").defaultCache());
  }

  @Test
  void stateFollowsThePlatform() {
    var home = Map.of("HOME", "/h");
    assertEquals(
        Path.of("/h/.local/state/helix-bg"),
        UserDirectories.of(home, "/a", "Linux").defaultState());
    assertEquals(
        Path.of("/h/Library/Application Support/helix-bg"),
        UserDirectories.of(home, "/a", "Mac OS X").defaultState());
    var xdg = Map.of("HOME", "/h", "XDG_STATE_HOME", "/x");
    assertEquals(Path.of("/x/helix-bg"), UserDirectories.of(xdg, "/a", "Linux").defaultState());
    var relative = Map.of("HOME", "/h", "XDG_STATE_HOME", "x");
    assertEquals(
        Path.of("/h/.local/state/helix-bg"),
        UserDirectories.of(relative, "/a", "Linux").defaultState());
    assertEquals(
        Path.of("/a/.local/state/helix-bg"),
        UserDirectories.of(Map.of(), "/a", "Linux").defaultState());
  }
}
