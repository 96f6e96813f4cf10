package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TeamTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7})
  void everyPartRunsOnceInEachRegion(int size) {
    var runs = new AtomicIntegerArray(size);
    try (Team team = new Team(size)) {
      for (int region = 1; region <= 200; region++) {
        team.run(
            (member, members) -> {
              assertEquals(size, members);
              runs.incrementAndGet(member);
            });
        for (int member = 0; member < size; member++) {
          assertEquals(region, runs.get(member));
        }
      }
    }
  }

  @Test
  void whatPartsWroteIsSeenAfterTheRegion() {
    int[] written = new int[3 * 64];
    try (Team team = new Team(3)) {
      for (int region = 1; region <= 1000; region++) {
        int value = region;
        team.run((member, members) -> written[64 * member] = value);
        for (int member = 0; member < 3; member++) {
          assertEquals(value, written[64 * member]);
        }
      }
    }
  }

  @Test
  void partZeroRunsOnTheCallingThread() {
    var seen = new AtomicReference<Thread>();
    try (Team team = new Team(2)) {
      team.run(
          (member, members) -> {
            if (member == 0) {
              seen.set(Thread.currentThread());
            }
          });
    }
    assertSame(Thread.currentThread(), seen.get());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void failuresReachTheCallerAndTheTeamGoesOn(int failing) {
    var failure = new IllegalStateException("part " + failing);
    var done = new AtomicIntegerArray(3);
    try (Team team = new Team(3)) {
      var thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  team.run(
                      (member, members) -> {
                        if (member == failing) {
                          throw failure;
                        }
                        done.incrementAndGet(member);
                      }));
      assertSame(failure, thrown);
      for (int member = 0; member < 3; member++) {
        assertEquals(
            member == failing ? 0 : 1, done.get(member), "others finish before run returns");
      }
      team.run((member, members) -> done.incrementAndGet(member));
    }
  }

  @Test
  void idleWorkersUseNoProcessor() throws InterruptedException {
    var threads = ManagementFactory.getThreadMXBean();
    var worker = new AtomicReference<Thread>();
    try (Team team = new Team(2)) {
      team.run((member, members) -> remember(worker, member));
      Thread.sleep(100);
      long before = threads.getThreadCpuTime(worker.get().threadId());
      Thread.sleep(400);
      long used = threads.getThreadCpuTime(worker.get().threadId()) - before;
      assertTrue(used < 5_000_000, used + " ns of processor time in 400 ms of rest");
      team.run((member, members) -> remember(worker, member));
    }
  }

  private static void remember(AtomicReference<Thread> worker, int member) {
    if (member == 1) {
      worker.set(Thread.currentThread());
    }
  }

  @Test
  void closingEndsTheWorkersAlsoParkedOnes() throws InterruptedException {
    var worker = new AtomicReference<Thread>();
    Team team = new Team(2);
    team.run((member, members) -> remember(worker, member));
    Thread.sleep(50);
    team.close();
    assertFalse(worker.get().isAlive());
    team.close();
    assertThrows(IllegalStateException.class, () -> team.run((member, members) -> {}));
  }

  @Test
  void aTeamOfNobodyIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Team(0));
  }
}
