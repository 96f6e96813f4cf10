package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a user is told of new findings, and what. */
class DesktopNoticesTest {
  private static final String[] IDS = {"rel-0000000001", "rel-0000000002", "rel-0000000003"};

  @TempDir Path folder;

  private final FakeClock clock = new FakeClock();
  private final List<String> shown = new ArrayList<>();
  private Path mark;
  private KbStores stores;
  private Kb kb;
  private Kb other;

  @BeforeEach
  void kbs() throws IOException {
    mark = folder.resolve("notified.json");
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    other = new Kb(Files.createDirectories(folder.resolve("other")));
    stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {});
  }

  /** A report that leads with some findings, and of two that are behind. */
  private void report(Kb kb, String... ids) throws IOException {
    ObjectNode report = new ObjectMapper().createObjectNode();
    Stream.of(ids).forEach(report.withArray("leading")::add);
    Stream.concat(Stream.of(ids), Stream.of("rel-aaaaaaaaaa", "rel-bbbbbbbbbb"))
        .forEach(
            id -> {
              ObjectNode pair = report.withArray("relations").addObject().put("id", id);
              pair.put("rank", report.path("relations").size());
              pair.putObject("a").put("name", "secret:0");
            });
    WrittenReport.write(stores.of(kb), report);
  }

  private List<KbStore> stores(Kb... of) {
    return Stream.of(of).map(stores::of).toList();
  }

  private DesktopNotices started() {
    return new DesktopNotices(mark, clock, shown::add);
  }

  private String html(Kb of) {
    return of.insights().resolve("report.html").toString();
  }

  @Test
  void whatIsNewIsToldOnceADayAlsoAfterARestart() throws Exception {
    report(kb, IDS[0], IDS[1]);
    DesktopNotices notices = started();
    notices.consider(stores(kb), 1);
    assertEquals(
        List.of(
            "helix-bg: 2 new among what is most worth doing (4 candidates ranked): " + html(kb)),
        shown);
    report(kb, IDS);
    notices.consider(stores(kb), 2);
    clock.pass(Duration.ofHours(23));
    notices = started();
    notices.consider(stores(kb), 0);
    assertEquals(1, shown.size(), "twice on one day");
    clock.pass(Duration.ofHours(1));
    notices.consider(stores(kb), 0);
    assertEquals(
        "helix-bg: 1 new among what is most worth doing (5 candidates ranked): " + html(kb),
        shown.getLast());
    clock.pass(Duration.ofDays(2));
    notices.consider(stores(kb), 1);
    report(kb, IDS[2]);
    notices.consider(stores(kb), 2);
    report(kb, IDS[2], IDS[0]);
    notices.consider(stores(kb), 3);
    assertEquals(2, shown.size(), "nothing was new");
    assertFalse(shown.toString().contains("secret"), shown.toString());
  }

  @Test
  void severalKbsHaveOneLine() throws Exception {
    report(kb, IDS[0]);
    report(other, IDS[1], IDS[2]);
    started().consider(stores(kb, other), 0);
    assertEquals(
        List.of(
            "helix-bg: 3 new among what is most worth doing in 2 knowledge bases"
                + " (7 candidates ranked): "
                + html(kb)),
        shown);
  }

  @Test
  void noReportAndNoFindingsAreNoNews() throws Exception {
    report(kb);
    started().consider(stores(kb, other), 0);
    Files.createDirectory(other.insights());
    Files.writeString(
        other.insights().resolve("report.json"), "{\"leading\":[\"" + IDS[0] + "\"]}");
    started().consider(stores(kb, other), 1);
    assertEquals(List.of(), shown);
    assertFalse(Files.exists(mark));
  }

  @Test
  void aMarkThatIsDamagedOrFromTheFutureKeepsNobodySilent() throws Exception {
    report(kb, IDS[0]);
    Files.writeString(mark, "{\"at\":");
    started().consider(stores(kb), 0);
    assertEquals(1, shown.size());
    Files.writeString(
        mark, "{\"at\":\"" + clock.now().plus(Duration.ofDays(900)) + "\",\"findings\":[]}");
    started().consider(stores(kb), 0);
    assertEquals(2, shown.size());
  }

  @Test
  void theLineIsAnArgumentOfItsOwn() {
    String line = "helix-bg: 1 new finding: /home/ada/$(reboot)\"; end/report.html";
    assertEquals(line, DesktopNotices.command(line, "Mac OS X").getLast());
    assertEquals(
        List.of("notify-send", "--app-name=helix-bg", "--", line),
        DesktopNotices.command(line, "Linux"));
    assertTrue(
        DesktopNotices.command(line, "Mac OS X").stream().noneMatch(word -> word.equals("-c")));
  }
}
