package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ThreadTeamTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7})
  void everyPartRunsOnceInEachRegion(int size) {
    Thread caller = Thread.currentThread();
    try (ThreadTeam team = new ThreadTeam(size)) {
      for (int region = 1; region <= 300; region++) {
        int parts = region % 40;
        var runs = new AtomicIntegerArray(40);
        var busy = new AtomicIntegerArray(size);
        team.run(
            (member, part) -> {
              assertEquals(1, busy.incrementAndGet(member), "a member does one part at a time");
              assertEquals(member == 0, Thread.currentThread() == caller);
              runs.incrementAndGet(part);
              busy.decrementAndGet(member);
            },
            parts);
        for (int part = 0; part < 40; part++) {
          assertEquals(part < parts ? 1 : 0, runs.get(part), "part " + part + " of " + parts);
        }
      }
    }
  }

  @Test
  void whatPartsWroteIsSeenAfterTheRegion() {
    int[] written = new int[3 * 64];
    try (ThreadTeam team = new ThreadTeam(3)) {
      for (int region = 1; region <= 1000; region++) {
        int value = region;
        team.run((member, part) -> written[64 * part] = value, 3);
        for (int part = 0; part < 3; part++) {
          assertEquals(value, written[64 * part]);
        }
      }
    }
  }

  @Test
  void eachMemberBeginsWithPartsOfItsOwn() {
    var firsts = new AtomicIntegerArray(new int[] {-1, -1, -1});
    var began = new CountDownLatch(3);
    try (ThreadTeam team = new ThreadTeam(3)) {
      team.run(
          (member, part) -> {
            if (firsts.compareAndSet(member, -1, part)) {
              began.countDown();
              await(began);
            }
          },
          48);
    }
    assertEquals("[0, 16, 32]", firsts.toString());
  }

  /** One of three members waits in its first part until the other two have run all other parts. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whoIsSlowTakesFewerParts(int slow) {
    int parts = 48;
    var done = new AtomicIntegerArray(3);
    var others = new CountDownLatch(parts - 1);
    var began = new CountDownLatch(1);
    try (ThreadTeam team = new ThreadTeam(3)) {
      team.run(
          (member, part) -> {
            if (member == slow) {
              began.countDown();
              await(others);
            } else {
              await(began); // until the slow member has a part
              others.countDown();
            }
            done.incrementAndGet(member);
          },
          parts);
    }
    assertEquals(1, done.get(slow));
    assertEquals(parts - 1, done.get((slow + 1) % 3) + done.get((slow + 2) % 3));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void failuresReachTheCallerAndTheTeamGoesOn(int failing) {
    var failure = new IllegalStateException("part " + failing);
    var done = new AtomicIntegerArray(3);
    try (ThreadTeam team = new ThreadTeam(3)) {
      var thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  team.run(
                      (member, part) -> {
                        if (part == failing) {
                          throw failure;
                        }
                        done.incrementAndGet(part);
                      },
                      3));
      assertSame(failure, thrown);
      for (int part = 0; part < 3; part++) {
        assertEquals(part == failing ? 0 : 1, done.get(part), "others finish before run returns");
      }
      team.run((member, part) -> done.incrementAndGet(part), 3);
    }
  }

  @Test
  void idleWorkersUseNoProcessor() throws InterruptedException {
    var threads = ManagementFactory.getThreadMXBean();
    try (ThreadTeam team = new ThreadTeam(2)) {
      Thread worker = worker(team);
      Thread.sleep(100);
      long before = threads.getThreadCpuTime(worker.threadId());
      Thread.sleep(400);
      long used = threads.getThreadCpuTime(worker.threadId()) - before;
      assertTrue(used < 5_000_000, used + " ns of processor time in 400 ms of rest");
      assertSame(worker, worker(team), "it was parked and goes on");
    }
  }

  private static Thread worker(ThreadTeam team) {
    var worker = new AtomicReference<Thread>();
    var began = new CountDownLatch(2);
    team.run(
        (member, part) -> {
          if (member == 1) {
            worker.set(Thread.currentThread());
          }
          began.countDown();
          await(began); // so that each member takes one part
        },
        2);
    return worker.get();
  }

  @Test
  void closingEndsTheWorkersAlsoParkedOnes() throws InterruptedException {
    ThreadTeam team = new ThreadTeam(2);
    Thread worker = worker(team);
    Thread.sleep(50);
    team.close();
    assertFalse(worker.isAlive());
    team.close();
    assertThrows(IllegalStateException.class, () -> team.run((member, part) -> {}, 1));
  }
}
