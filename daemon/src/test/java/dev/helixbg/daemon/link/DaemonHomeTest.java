package dev.helixbg.daemon.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.control.ControlServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonHomeTest {
  @TempDir Path folder;

  @Test
  void theSocketIsUsuallyInTheFolder() {
    assertEquals(
        Path.of("/home/u/.helix/helix-bg.sock"),
        new DaemonHome(Path.of("/home/u/.helix")).socket());
  }

  /**
   * A socket's path has at most 103 bytes, but a daemon must also work in a home with a long path.
   */
  @Test
  void aLongHomeHasItsSocketAtAShorterPlace() throws Exception {
    Path home = Files.createDirectories(folder.resolve("a long name of a folder/".repeat(6)));
    DaemonHome daemon = new DaemonHome(home.resolve(".helix"));
    Path socket = daemon.socket();
    assertTrue(ControlServer.fits(socket), socket.toString());
    assertEquals(socket, new DaemonHome(home.resolve(".helix")).socket());
    ControlServer server =
        ControlServer.start(socket, _ -> List.of(), ControlServer.ControlLimits.USUAL);
    try {
      assertEquals(socket, daemon.socket(), "the folder is there now");
      ControlClient.connect(socket, Duration.ofSeconds(10)).close();
    } finally {
      server.close();
      Files.deleteIfExists(socket);
      Files.deleteIfExists(socket.getParent());
    }
  }
}
