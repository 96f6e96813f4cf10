package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.kb.WrittenReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private SealedReports reports;
  private Kb kb;
  private Kb other;

  @BeforeEach
  void kbs() throws IOException {
    mark = folder.resolve("notified.json");
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    other = new Kb(Files.createDirectories(folder.resolve("other")));
    reports = new SealedReports(new ReportSeal(folder.resolve("cache")));
  }

  /** A report that leads with some findings, of which a model judged the first; two are behind. */
  private void report(Kb kb, String... ids) throws IOException {
    ObjectNode report = new ObjectMapper().createObjectNode();
    Stream.of(ids).forEach(report.withArray("leading")::add);
    Stream.concat(Stream.of(ids), Stream.of("rel-aaaaaaaaaa", "rel-bbbbbbbbbb"))
        .forEach(
            id -> {
              ObjectNode pair = report.withArray("relations").addObject().put("id", id);
              pair.putObject("a").put("name", "secret:0");
              pair.set("verdict", null);
              if (id.equals(IDS[0])) {
                pair.putObject("verdict");
              }
            });
    WrittenReport.write(kb, reports, report.toString());
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
    notices.consider(List.of(kb), reports, 1);
    assertEquals(
        List.of(
            "helix-bg: 2 new among what is most worth doing (4 candidates ranked, 1 judged): "
                + html(kb)),
        shown);
    report(kb, IDS);
    notices.consider(List.of(kb), reports, 2);
    clock.pass(Duration.ofHours(23));
    notices = started();
    notices.consider(List.of(kb), reports, 0);
    assertEquals(1, shown.size(), "twice on one day");
    clock.pass(Duration.ofHours(1));
    notices.consider(List.of(kb), reports, 0);
    assertEquals(
        "helix-bg: 1 new among what is most worth doing (5 candidates ranked, 1 judged): "
            + html(kb),
        shown.getLast());
    clock.pass(Duration.ofDays(2));
    notices.consider(List.of(kb), reports, 1);
    report(kb, IDS[2]);
    notices.consider(List.of(kb), reports, 2);
    report(kb, IDS[2], IDS[0]);
    notices.consider(List.of(kb), reports, 3);
    assertEquals(2, shown.size(), "nothing was new");
    assertFalse(shown.toString().contains("secret"), shown.toString());
  }

  @Test
  void severalKbsHaveOneLine() throws Exception {
    report(kb, IDS[0]);
    report(other, IDS[1], IDS[2]);
    started().consider(List.of(kb, other), reports, 0);
    assertEquals(
        List.of(
            "helix-bg: 3 new among what is most worth doing in 2 knowledge bases"
                + " (7 candidates ranked, 1 judged): "
                + html(kb)),
        shown);
  }

  @Test
  void noReportAndNoFindingsAreNoNews() throws Exception {
    report(kb);
    started().consider(List.of(kb, other), reports, 0);
    WrittenReport.write(
        other,
        new SealedReports(new ReportSeal(folder.resolve("of somebody else"))),
        "{\"leading\":[\"" + IDS[0] + "\"]}");
    started().consider(List.of(kb, other), reports, 1);
    assertEquals(List.of(), shown);
    assertFalse(Files.exists(mark));
  }

  @Test
  void aMarkThatIsDamagedOrFromTheFutureKeepsNobodySilent() throws Exception {
    report(kb, IDS[0]);
    Files.writeString(mark, "{\"at\":");
    started().consider(List.of(kb), reports, 0);
    assertEquals(1, shown.size());
    Files.writeString(
        mark, "{\"at\":\"" + clock.now().plus(Duration.ofDays(900)) + "\",\"findings\":[]}");
    started().consider(List.of(kb), reports, 0);
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
