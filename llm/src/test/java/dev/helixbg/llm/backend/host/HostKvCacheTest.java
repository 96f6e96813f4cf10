package dev.helixbg.llm.backend.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.KvCache.ContextFullException;
import dev.helixbg.llm.backend.KvShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class HostKvCacheTest {
  private static final KvShape SHAPE = new KvShape(2, 2, 4, 1000);

  @AutoClose private final Arena arena = Arena.ofConfined();
  private final HostKvCache.Pool pool = new HostKvCache.Pool(arena, SHAPE);

  private record Held(HostKvCache cache, List<Short> written) {}

  @Test
  void anyMixOfGrowingForkingAndTruncatingKeepsEveryCachesOwnNumbers() {
    Random random = new Random(11);
    List<Held> all = new ArrayList<>();
    all.add(new Held(new HostKvCache(SHAPE, pool), new ArrayList<>()));
    for (int step = 0; step < 4000; step++) {
      Held held = all.get(random.nextInt(all.size()));
      int length = held.cache.length();
      switch (random.nextInt(4)) {
        case 0 -> write(held, Math.min(1 + random.nextInt(40), SHAPE.limit() - length), step);
        case 1 -> write(held, Math.min(1, SHAPE.limit() - length), step);
        case 2 -> {
          int to = random.nextInt(length + 1);
          held.cache.truncate(to);
          held.written.subList(to, length).clear();
        }
        default -> {
          int prefix = random.nextInt(length + 1);
          HostKvCache fork = (HostKvCache) held.cache.fork(prefix);
          all.add(new Held(fork, new ArrayList<>(held.written.subList(0, prefix))));
        }
      }
      if (all.size() > 6) {
        all.remove(random.nextInt(all.size())).cache.close();
      }
      all.forEach(HostKvCacheTest::verify);
    }
  }

  private static void write(Held held, int count, int value) {
    int start = held.cache.length();
    held.cache.extend(count);
    for (int p = start; p < start + count; p++) {
      held.written.add((short) value);
      last(held.cache.key(p, 1, 1)).set(ValueLayout.JAVA_SHORT, 0, (short) value);
      last(held.cache.value(p, 1, 1)).set(ValueLayout.JAVA_SHORT, 0, (short) -value);
    }
  }

  private static void verify(Held held) {
    assertEquals(held.written.size(), held.cache.length());
    for (int p = 0; p < held.written.size(); p++) {
      assertTrue(p < held.cache.runEnd(p) && held.cache.runEnd(p) <= held.written.size());
      short expected = held.written.get(p);
      short key = last(held.cache.key(p, 1, 1)).get(ValueLayout.JAVA_SHORT, 0);
      short value = last(held.cache.value(p, 1, 1)).get(ValueLayout.JAVA_SHORT, 0);
      assertEquals(expected, key);
      assertEquals((short) -expected, value);
    }
  }

  private static MemorySegment last(long address) {
    return MemorySegment.ofAddress(address + 3 * Short.BYTES).reinterpret(Short.BYTES);
  }

  @Test
  void aSequenceGrownTokenByTokenHasFewRuns() {
    HostKvCache cache = new HostKvCache(SHAPE, pool);
    for (int i = 0; i < 900; i++) {
      cache.extend(1);
    }
    int runs = 0;
    for (int start = 0; start < 900; start = cache.runEnd(start)) {
      runs++;
    }
    assertTrue(runs <= 8, runs + " runs");
  }

  @Test
  void cachesShareWhatLiesInTheSamePlaces() {
    HostKvCache root = new HostKvCache(SHAPE, pool);
    root.extend(400); // Two pages.
    HostKvCache first = (HostKvCache) root.fork(355);
    HostKvCache second = (HostKvCache) root.fork(300);
    HostKvCache stranger = new HostKvCache(SHAPE, pool);
    stranger.extend(400);
    assertEquals(355, first.shared(root));
    assertEquals(355, root.shared(first));
    assertEquals(300, second.shared(first));
    assertEquals(0, stranger.shared(root));
    first.extend(20);
    second.extend(90);
    assertEquals(355, first.shared(root), "what follows a fork is its own");
    assertEquals(300, second.shared(first));
    assertEquals(375, first.shared(first));
    first.truncate(100);
    assertEquals(100, first.shared(root));
    assertEquals(0, new HostKvCache(SHAPE, pool).shared(root));
  }

  @Test
  void closedCachesGiveTheirPagesToTheNext() {
    HostKvCache first = new HostKvCache(SHAPE, pool);
    first.extend(10);
    long memory = first.key(0, 0, 0);
    first.close();
    HostKvCache second = new HostKvCache(SHAPE, pool);
    second.extend(10);
    assertEquals(memory, second.key(0, 0, 0));
  }

  @Test
  void theLimitHoldsAndAFullCacheIsUnchanged() {
    HostKvCache cache = new HostKvCache(SHAPE, pool);
    cache.extend(990);
    ContextFullException full = assertThrows(ContextFullException.class, () -> cache.extend(11));
    assertTrue(full.getMessage().contains("room for 1000 tokens; 990 are used, and 11 more"));
    assertTrue(full.getMessage().endsWith("if the model allows more"));
    assertEquals(990, cache.length());
    cache.extend(10);
  }
}
