package dev.helixbg.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserDirectoriesTest {
  @Test
  void homeIsTheVariableElseTheAccounts() {
    assertEquals(
        Path.of("/h"), UserDirectories.of(Map.of("HOME", "/h"), "/account", "Linux").home());
    assertEquals(Path.of("/account"), UserDirectories.of(Map.of(), "/account", "Linux").home());
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
  void theFirstUsualPlaceWithALogWins(@TempDir Path home) throws IOException {
    UserDirectories locations = new UserDirectories(home, home);
    assertEquals(Optional.empty(), locations.findKb());
    for (int i = 2; i >= 0; i--) {
      Path kb = locations.usualKbs().get(i);
      Files.createDirectories(kb);
      Files.createFile(kb.resolve(UserDirectories.DATA_LOG));
      assertEquals(Optional.of(kb), locations.findKb());
    }
    assertEquals(home.resolve(".helix-kb"), locations.findKb().orElseThrow());
  }
}
