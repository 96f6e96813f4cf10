package dev.helixbg.daemon.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.embed.EmbedderSource.OtherWay;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EmbedderHostTest {
  /** Opening a model for each changed note would take longer than embedding the note. */
  @Test
  void runsAndQueriesShareTheModelOfTheOtherWay() {
    FakeModel other =
        new FakeModel() {
          @Override
          public String id() {
            return "other";
          }
        };
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
}
