package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.Daemon;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KbRouterTest {
  @TempDir Path folder;

  private KbRouter kbs(FakeModel model, List<Kb> named) {
    Settings settings = DaemonFixture.settings(folder, Map.of());
    return new KbRouter(
        named,
        settings,
        new UserDirectories(folder, folder.resolve("cache"), folder.resolve("state")),
        () -> KbHost.of(settings, model, Optional.empty(), DaemonClock.SYSTEM, notice -> {}));
  }

  private Kb kb() throws IOException {
    return new Kb(GeneratedKb.write(folder.resolve("kb"), 20));
  }

  private Kb embeddedKb() throws Exception {
    Kb kb = kb();
    try (KbRouter before = kbs(new FakeModel(), List.of(kb))) {
      ask(before, request("search"));
    }
    return kb;
  }

  private static ObjectNode request(String what) {
    return DaemonLink.request(what).put("text", "lease");
  }

  private static KbRouter.Answer ask(KbRouter kbs, ObjectNode request) throws Exception {
    return kbs.ask(request, Progress.Display.SILENT);
  }

  private static long hits(KbRouter.Answer answer) {
    return answer.lines().stream().filter(line -> line.has("name")).count();
  }

  @Test
  void aCallUnderWayEndsAsItBeganWhenADaemonAppears() throws Exception {
    Kb kb = kb();
    CountDownLatch embedding = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    FakeModel model =
        new FakeModel() {
          @Override
          public void beforeEmbedding(List<String> texts) throws InterruptedException {
            if (texts.equals(List.of("lease"))) {
              embedding.countDown();
              goOn.await();
            }
          }
        };
    try (KbRouter kbs = kbs(model, List.of(kb))) {
      assertFalse(ask(kbs, request("findings")).byDaemon());
      FutureTask<KbRouter.Answer> underWay = new FutureTask<>(() -> ask(kbs, request("search")));
      Thread.ofPlatform().start(underWay);
      embedding.await();
      try (Daemon daemon = daemon(kb)) {
        assertTrue(ask(kbs, request("findings")).byDaemon());
        goOn.countDown();
        KbRouter.Answer answer = underWay.get();
        assertFalse(answer.byDaemon());
        assertEquals(10, hits(answer));
        assertTrue(ask(kbs, request("findings")).byDaemon());
      }
      assertFalse(ask(kbs, request("search")).byDaemon());
    }
    assertEquals(model.opened.get(), model.closed.get());
  }

  private static void await(int wanted, AtomicInteger times) throws InterruptedException {
    while (times.get() < wanted) {
      Thread.sleep(1);
    }
    assertEquals(wanted, times.get());
  }

  @Test
  void theModelIsOpenedBeforeAnybodySearches() throws Exception {
    Kb kb = embeddedKb();
    FakeModel model = new FakeModel();
    try (KbRouter kbs = kbs(model, List.of(kb))) {
      kbs.openAhead();
      await(1, model.opened);
      assertEquals(10, hits(ask(kbs, request("search"))));
      assertEquals(1, model.opened.get());
      assertEquals(0, model.closed.get());
    }
    assertEquals(1, model.closed.get());
  }

  @Test
  void aModelThatCannotBeOpenedIsSaidToWhoeverNeedsIt() throws Exception {
    Kb kb = embeddedKb();
    FakeModel model = new FakeModel();
    model.broken = true;
    try (KbRouter kbs = kbs(model, List.of(kb))) {
      kbs.openAhead();
      ask(kbs, request("findings"));
      EmbeddingException failure =
          assertThrows(EmbeddingException.class, () -> ask(kbs, request("search")));
      assertEquals("the model is gone", failure.getMessage());
      model.broken = false;
      assertEquals(10, hits(ask(kbs, request("search"))));
    }
  }

  @Test
  void noModelIsOpenedBesideADaemonOrWithoutAKb() throws Exception {
    Kb kb = kb();
    FakeModel model = new FakeModel();
    try (Daemon daemon = daemon(kb);
        KbRouter kbs = kbs(model, List.of(kb));
        KbRouter none = kbs(model, List.of(new Kb(folder.resolve("none"))))) {
      kbs.openAhead();
      none.openAhead();
      assertEquals(0, model.opened.get());
    }
  }

  @Test
  void aClientThatLeavesWhileTheModelIsOpenedLeavesNoneBehind() throws Exception {
    Kb kb = kb();
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    FakeModel model =
        new FakeModel() {
          @Override
          public Embedder open() {
            opening.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return super.open();
          }
        };
    KbRouter kbs = kbs(model, List.of(kb));
    Thread.ofPlatform().start(kbs::openAhead);
    opening.await();
    FutureTask<Void> leaving = new FutureTask<>(kbs::close, null);
    Thread.ofPlatform().start(leaving);
    Thread.sleep(20);
    assertFalse(leaving.isDone());
    goOn.countDown();
    leaving.get();
    await(1, model.closed);
  }

  private Daemon daemon(Kb kb) {
    return Daemon.start(
        List.of(kb),
        new DaemonHome(folder.resolve(".helix")),
        DaemonFixture.settings(folder, Map.of()),
        new FakeModel(),
        new Daemon.World(
            DaemonClock.SYSTEM, KbFiles.DISK, IdleWork.Machine.THIS, settings -> Optional.empty()));
  }

  @Test
  void aSessionStaysWithTheKbsOfADaemonThatStopped() throws Exception {
    Kb kb = new Kb(GeneratedKb.write(folder.resolve("kb"), 3));
    try (KbRouter kbs = kbs(new FakeModel(), List.of())) {
      try (Daemon daemon = daemon(kb)) {
        assertTrue(ask(kbs, request("search")).byDaemon());
      }
      KbRouter.Answer answer = ask(kbs, request("search"));
      assertFalse(answer.byDaemon());
      assertEquals(3, hits(answer));
      assertEquals(List.of(kb), kbs.all(kbs.daemon()));
    }
  }

  @Test
  void aNameThatSeveralHaveIsNoneOfThem() throws Exception {
    Kb work = new Kb(GeneratedKb.write(folder.resolve("work/notes"), 3));
    Kb home = new Kb(GeneratedKb.write(folder.resolve("home/notes"), 4));
    try (KbRouter kbs = kbs(new FakeModel(), List.of(work, home))) {
      Failure failure =
          assertThrows(Failure.class, () -> ask(kbs, request("search").put("kb", "notes")));
      assertEquals(ExitCode.USAGE, failure.code());
      assertTrue(failure.getMessage().contains(work.folder().toString()), failure::getMessage);
      assertTrue(failure.getMessage().contains(home.folder().toString()), failure::getMessage);
      String folder = home.folder().toString();
      assertEquals(4, hits(ask(kbs, request("search").put("kb", folder))));
      folder += "/";
      assertEquals(4, hits(ask(kbs, request("search").put("kb", folder))));
    }
  }

  @Test
  void aKbOfNotesIsNamedByThePathOfTheNotes() throws Exception {
    Settings settings = DaemonFixture.settings(folder, Map.of());
    List<Kb> made = new ArrayList<>();
    for (String project : List.of("one", "two")) {
      Path file = Files.createDirectories(folder.resolve(project)).resolve("MEMORY.md");
      Files.writeString(file, "The lease of project %s ends.\n".formatted(project));
      NotesKb notes = NotesKb.at(file, settings);
      notes.refresh();
      made.add(notes.kb());
    }
    try (KbRouter kbs = kbs(new FakeModel(), made)) {
      String two = folder.toRealPath().resolve("two/MEMORY.md").toString();
      JsonNode status = new ToolAnswers(kbs).status();
      assertEquals(two, status.at("/kbs/1/notes").asText());
      assertEquals(made.get(1).folder().toString(), status.at("/kbs/1/folder").asText());
      KbRouter.Answer answer = ask(kbs, request("search").put("kb", two));
      assertTrue(answer.first().toString().contains("project two"), answer::toString);
      Failure failure =
          assertThrows(Failure.class, () -> ask(kbs, request("search").put("kb", "three")));
      assertTrue(failure.getMessage().endsWith("MEMORY.md, " + two), failure::getMessage);
    }
  }

  @Test
  void aKbIsTheDaemonsByEachOfItsPaths() throws Exception {
    Kb kb = new Kb(GeneratedKb.write(folder.resolve("kb"), 3));
    Kb link = new Kb(Files.createSymbolicLink(folder.resolve("link"), kb.folder()));
    try (Daemon daemon = daemon(kb);
        KbRouter kbs = kbs(new FakeModel(), List.of(link))) {
      for (String path : List.of(kb.folder().toString(), "~/kb")) {
        assertTrue(ask(kbs, request("search").put("kb", path)).byDaemon());
      }
      JsonNode status = new ToolAnswers(kbs).status().at("/kbs/0");
      assertEquals("link", status.path("kb").asText());
      assertEquals("the helix-bg daemon", status.path("answeredBy").asText());
      assertTrue(status.has("upToDate"));
    }
  }
}
