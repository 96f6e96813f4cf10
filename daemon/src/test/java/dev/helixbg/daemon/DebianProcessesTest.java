package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Tests which processes the Debian package ends when it is removed. */
@EnabledOnOs(OS.LINUX)
class DebianProcessesTest {
  private static final Path SCRIPT = Program.ROOT.resolve("packaging/debian/processes.sh");

  /** Shell script that prints its process id, then runs until its standard input ends. */
  private static final String LIVE = "echo $$; exec \"$0\" > /dev/null";

  /** Work folder. It must not be below /dev, because the test's container has a /dev of its own. */
  @TempDir(factory = InTarget.class)
  Path folder;

  static final class InTarget implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws IOException {
      return Files.createTempDirectory(Program.ROOT.resolve("daemon/target"), "debian");
    }
  }

  /** Puts a program that only reads its input at the path that the package uses for Java. */
  private Path java(Path root) throws IOException {
    Path java = root.resolve("runtime/bin/java");
    Files.createDirectories(java.getParent());
    return Files.copy(Path.of("/bin/cat"), java, StandardCopyOption.COPY_ATTRIBUTES);
  }

  /** Returns the processes that the script would end for a package in this folder. */
  private List<String> running(Path packaged) throws Exception {
    String text = Files.readString(SCRIPT);
    assertTrue(text.contains("/usr/lib/helix-bg/"), text);
    String script = text.replace("/usr/lib/helix-bg/", packaged + "/") + "\nrunning";
    return ExternalTool.said(new ProcessBuilder("sh", "-ec", script)).lines().toList();
  }

  private static void end(Process process) throws Exception {
    process.getOutputStream().close();
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
  }

  @Test
  void processesOfContainersAreNotTouchedThoughTheirPathIsTheSame() throws Exception {
    assumeTrue(ExternalTool.succeeds("unshare", "-Urm", "true"), "no namespaces for users here");
    Path real = folder.toRealPath();
    Path java = java(real);
    Path root = Files.createDirectories(real.resolve("root"));
    java(Files.createDirectories(root.resolve(real.toString().substring(1))));
    String enter =
        """
        set -e
        mount --rbind "$1" "$1"
        cd "$1"
        for part in bin lib lib64 usr dev proc; do
          [ ! -e /$part ] || { mkdir $part; mount --rbind /$part $part; }
        done
        mkdir old
        pivot_root . old
        umount -l /old
        exec sh -c "$3" "$2"
        """;
    Process ours = new ProcessBuilder("sh", "-c", LIVE, java.toString()).start();
    Process others =
        new ProcessBuilder(
                "unshare", "-Urm", "sh", "-c", enter, "sh", root.toString(), java.toString(), LIVE)
            .redirectError(real.resolve("err").toFile())
            .start();
    try {
      String number = ours.inputReader().readLine();
      assertTrue(others.inputReader().readLine() != null, () -> read(real.resolve("err")));
      awaitExecuted(ours, java);
      awaitExecuted(others, java);
      assertEquals(List.of(number), running(real));
      Files.delete(java); // an update deletes it
      assertEquals(List.of(number), running(real));
    } finally {
      end(ours);
      end(others);
    }
    assertEquals(List.of(), running(real));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits until the process has executed the program. */
  private static void awaitExecuted(Process process, Path program) throws Exception {
    Path exe = Path.of("/proc/" + process.pid() + "/exe");
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!Files.readSymbolicLink(exe).equals(program)) {
      assertTrue(process.isAlive() && System.nanoTime() < end, () -> "it runs no " + program);
      Thread.onSpinWait();
    }
  }
}
