package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class AllocationWatchTest {
  private byte[] kept;

  @Test
  void megabytesPerTokenAreTold() {
    AllocationWatch garbage = new AllocationWatch();
    allocateMuch();
    garbage.look();
    assertEquals(Optional.empty(), garbage.trouble(), "kernels were not compiled yet");
    allocateMuch();
    garbage.look();
    assertTrue(garbage.trouble().orElseThrow().contains("use Temurin 25"));
    garbage.look();
    assertEquals(Optional.empty(), garbage.trouble(), "it has ended");
  }

  @Test
  void anotherThreadsCounterIsNotCompared() throws InterruptedException {
    AllocationWatch garbage = new AllocationWatch();
    garbage.look();
    Thread other =
        new Thread(
            () -> {
              allocateMuch();
              garbage.look();
            });
    other.start();
    other.join();
    assertEquals(Optional.empty(), garbage.trouble());
  }

  private void allocateMuch() {
    for (int i = 0; i < AllocationWatch.WINDOW; i++) {
      kept = new byte[8192];
    }
    assertEquals(8192, kept.length);
  }

  @Test
  void aTeamLooksByItself() {
    try (ThreadTeam team = new ThreadTeam(1)) {
      for (int region = 0; region < 2 * AllocationWatch.WINDOW; region++) {
        team.run((member, part) -> kept = new byte[8192], 1);
      }
      assertTrue(team.garbage().trouble().isPresent());
    }
  }

  /** The launcher's options name what only some JDKs have. */
  @Test
  void anOptionThatTheJvmDoesNotKnowKeepsItFromNothing() throws Exception {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "@../scripts/lib/jvm.options",
                "@../scripts/lib/c2.options",
                "-XX:+NoSuchOptionInThisJdk",
                "-XX:NoSuchNumberInThisJdk=3",
                "-version")
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), printed);
  }
}
