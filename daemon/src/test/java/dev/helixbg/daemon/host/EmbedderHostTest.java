package dev.helixbg.daemon.host;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource.OtherWay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EmbedderHostTest {
  /**
   * Runs must not open a model for each changed note, which takes longer than embedding the note.
   */
  @Test
  void runsAndQueriesShareTheModelOfTheOtherWay() {
    FakeModel other = new FakeModel("other");
    FakeModel usual = new FakeModel();
    usual.otherWay = Optional.of(new OtherWay("other", true, few -> 2, other::open));
    usual.forQueries = Optional.of(other);
    try (EmbedderHost host = new EmbedderHost(usual, new FakeClock())) {
      OtherWay way = host.otherWay(false).orElseThrow();
      way.model().get().close();
      way.model().get().close();
      host.forQueries("other").open().close();
      assertEquals(1, other.opened.get());
      assertEquals(0, usual.opened.get());
      assertEquals(0, other.closed.get());
    }
    assertEquals(1, other.closed.get());
  }

  @Test
  void aModelIsClosedOnlyWhenNobodyUsesIt() {
    FakeClock clock = new FakeClock();
    FakeModel source = new FakeModel();
    EmbedderHost host = new EmbedderHost(source, clock);
    Embedder first = host.open();
    Embedder second = host.open();
    assertEquals(1, source.opened.get());
    first.close();
    first.close(); // a second close has no effect
    clock.pass(Duration.ofHours(1));
    assertFalse(host.releaseAfter(Optional.of(Duration.ZERO)));
    second.close();
    assertFalse(host.releaseAfter(Optional.of(Duration.ofMinutes(1))));
    assertFalse(host.releaseAfter(Optional.empty()));
    clock.pass(Duration.ofMinutes(1));
    assertTrue(host.releaseAfter(Optional.of(Duration.ofMinutes(1))));
    assertEquals(1, source.closed.get());
  }

  @Test
  void theModelOfQueriesIsKeptToo() {
    FakeClock clock = new FakeClock();
    FakeModel usual = new FakeModel();
    FakeModel fine = new FakeModel("fine");
    usual.forQueries = Optional.of(fine);
    EmbedderHost host = new EmbedderHost(usual, clock);
    assertSame(host, host.forQueries(usual.id()));
    assertSame(host.forQueries("fine"), host.forQueries("fine"));
    for (int i = 1; i <= 2; i++) {
      host.forQueries("fine").open().close();
      assertTrue(host.isLoaded());
      assertEquals(1, fine.opened.get());
    }
    clock.pass(Duration.ofMinutes(1));
    assertTrue(host.releaseAfter(Optional.of(Duration.ofMinutes(1))));
    assertFalse(host.isLoaded());
    host.forQueries("fine").open().close();
    host.close();
    assertEquals(2, fine.closed.get());
    assertEquals(0, usual.opened.get());
    EmbedderHost ended = new EmbedderHost(usual, clock);
    ended.close();
    ended.forQueries("fine").open().close();
    assertEquals(3, fine.closed.get());
  }

  /** Opening a model can take minutes, during which the status must be available. */
  @Test
  void whoAsksDoesNotWaitForAModelThatIsBeingLoaded() {
    List<Boolean> answers = new ArrayList<>();
    AtomicReference<EmbedderHost> host = new AtomicReference<>();
    FakeModel slow =
        new FakeModel() {
          @Override
          public Embedder open() {
            Thread other =
                Thread.ofPlatform()
                    .daemon()
                    .start(
                        () -> {
                          host.get().forQueries(id());
                          answers.add(host.get().isLoaded());
                        });
            assertTrue(assertDoesNotThrow(() -> other.join(Duration.ofMinutes(1))));
            return super.open();
          }
        };
    host.set(new EmbedderHost(slow, new FakeClock()));
    host.get().open().close();
    assertEquals(List.of(false), answers);
  }
}
