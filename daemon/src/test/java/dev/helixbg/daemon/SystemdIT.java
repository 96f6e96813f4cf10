package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the service under a real {@code systemd --user}, from install to uninstall. systemd runs as
 * the user nobody in its own mount namespace, which needs root. The test takes 30 s, mostly for ten
 * starts of a JVM.
 */
@Timeout(600)
class SystemdIT {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final int CANNOT = 77;

  @TempDir Path folder;

  private static Path resource(String name) {
    return Path.of("src/test/resources/systemd", name);
  }

  private Path script(String name) throws IOException {
    Path script = folder.resolve(name);
    Files.copy(resource(name), script);
    return OnDisk.setMode(script, "rwxr-xr-x");
  }

  private static void requireWhatItTakes() throws InterruptedException {
    assumeTrue(ExternalTool.succeeds("sh", "-c", "[ $(id -u) = 0 ]"), "becoming nobody needs root");
    for (String tool : List.of("unshare", "setpriv", "systemctl")) {
      assumeTrue(ExternalTool.succeeds("sh", "-c", "command -v " + tool), "no " + tool + " here");
    }
    assumeTrue(
        ExternalTool.succeeds(
            "setpriv", "--reuid", "65534", "--clear-groups", JAVA, "-jar", jar(), "--version"),
        "nobody may not read java or the program here");
  }

  private static String jar() {
    return Program.DIST.resolve("lib/helix-bg.jar").toString();
  }

  @Test
  void aServiceLivesAndEndsAsItsUserWants() throws Exception {
    requireWhatItTakes();
    OnDisk.setMode(folder, "rwxr-xr-x");
    Path home = Files.createDirectories(folder.resolve("home"));
    WritableKb kb = new WritableKb(home.resolve("my kb"), new Random(1), 5);
    PreparedModel.copyInto(home.resolve(".cache"), Program.DIST);
    assertTrue(ExternalTool.succeeds("chown", "-R", "65534:65534", home.toString()));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    Process process =
        new ProcessBuilder(
                Program.words(
                    "unshare -m --propagation private % % % % % % %",
                    script("user-instance.sh"),
                    home,
                    script("life-of-a-service.sh"),
                    JAVA,
                    Program.DIST,
                    Program.ROOT.resolve("scripts"),
                    kb.kb().folder()))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertTrue(process.waitFor(9, TimeUnit.MINUTES), Files.readString(out));
    String said = Files.readString(out) + Files.readString(err) + log(home);
    assumeTrue(process.exitValue() != CANNOT, "no user instance can run here: " + said);
    assertEquals(
        Files.readAllLines(resource("life-of-a-service.expected")), Files.readAllLines(out), said);
    assertTrue(Files.exists(ReportFolder.of(kb.kb()).html()));
  }

  private static String log(Path home) throws IOException {
    Path log = home.resolve("err");
    return Files.exists(log) ? Files.readString(log) : "";
  }
}
