package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.LastReport.Origin;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.report.FirstLook;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a stored report is read back unchanged, or not at all. */
class LastReportTest {
  private static final List<String> ODD =
      List.of(
          "",
          " ",
          "%",
          "a b",
          "[\"",
          "\\",
          "'; DROP TABLE finding; --",
          "é\n\t\u0001",
          "\uD83D\uDE00");

  @TempDir Path folder;

  private final List<String> notices = new ArrayList<>();
  @AutoClose private KbStores stores;
  private Kb kb;

  @BeforeEach
  void open() throws Exception {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    Files.createFile(kb.dataLog());
    stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notices::add);
  }

  private KbStore store() {
    return stores.of(kb);
  }

  private static Origin origin() {
    return new Origin(
        "ab12",
        new ReportBasis("made", "decided"),
        Optional.of(new FirstLook(0, 1, 2, 3, 4)),
        7,
        "\u001b[1msummary\u001b[0m",
        Optional.of("Qwen"),
        true);
  }

  /**
   * Returns a finding of each section, whose topics have odd characters, and a finding with all
   * optional fields.
   */
  private static List<ReportedFinding> findings() {
    List<ReportedFinding> findings = new ArrayList<>();
    for (String section : ReportedFinding.SECTIONS) {
      int i = findings.size();
      boolean full = i % 2 == 0;
      String odd = ODD.get(i % ODD.size());
      Set<String> topics = i == 0 ? Set.of() : new LinkedHashSet<>(List.of("z", odd, "a"));
      findings.add(
          new ReportedFinding(
              section,
              "rel-%010d".formatted(i),
              full,
              full ? OptionalInt.of(i + 1) : OptionalInt.empty(),
              0.1 + i / 30.0,
              "about " + odd,
              i == 1 ? Set.of("") : topics,
              full ? List.of("key1", "key0") : List.of(),
              full ? Optional.of(Verdict.values()[i % Verdict.values().length]) : Optional.empty(),
              full ? Optional.of(odd) : Optional.empty(),
              full ? Optional.of("") : Optional.empty()));
    }
    return findings;
  }

  private static String told(ReportedFinding finding) {
    return new ObjectMapper().createObjectNode().put("text", finding.about()).toString();
  }

  private void keep(List<ReportedFinding> findings) {
    store()
        .report()
        .keep(
            origin(),
            List.of("k1", "k2"),
            sink -> {
              for (int i = 0; i < findings.size(); i++) {
                sink.take(i, findings.get(i), told(findings.get(i)));
              }
            });
  }

  @Test
  void everySectionComesBackAsItWasInItsOrder() {
    List<ReportedFinding> findings = findings();
    keep(findings);
    LastReport.Listing listing = store().report().list();
    assertEquals(findings, listing.findings());
    for (int i = 0; i < findings.size(); i++) {
      assertEquals(
          List.copyOf(findings.get(i).topics()), List.copyOf(listing.findings().get(i).topics()));
    }
    assertEquals(origin(), listing.origin());
    assertEquals(Optional.of(origin()), store().report().origin());
    assertEquals(List.of("k1", "k2"), store().report().entries());
    store()
        .report()
        .told(findings)
        .forEach((finding, json) -> assertEquals(told(finding), json.toString()));
    assertEquals(findings.size(), store().report().told(findings).size());
  }

  @Test
  void aReportReplacesTheOneBefore() {
    keep(findings());
    List<ReportedFinding> old = findings();
    keep(old.subList(3, 5));
    assertEquals(old.subList(3, 5), store().report().list().findings());
    assertEquals(
        Set.copyOf(old.subList(3, 5)),
        store().report().told(old).keySet(),
        "what a new report has not is left out");
  }

  @Test
  void aReportThatFailsHalfWayLeavesTheOneBefore() {
    keep(findings());
    LastReport report = store().report();
    assertThrows(
        IllegalStateException.class,
        () ->
            report.keep(
                origin(),
                List.of(),
                sink -> {
                  sink.take(0, findings().get(4), "{}");
                  throw new IllegalStateException("of a test");
                }));
    assertEquals(findings(), store().report().list().findings());
  }

  @Test
  void beforeTheFirstReportThereIsNone() {
    assertEquals(Optional.empty(), store().report().origin());
    Failure none = assertThrows(Failure.class, () -> store().report().list());
    assertEquals(ExitCode.KB, none.code());
    assertTrue(none.getMessage().contains("one-shot"), none.getMessage());
  }

  /** A damaged row loses only the report, which the next run makes again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE finding SET similarity = 0.99 WHERE place = 2",
        "UPDATE finding SET topics = '[' WHERE place = 2",
        "UPDATE finding SET topics = '%zz ' WHERE place = 2",
        "UPDATE finding SET verdict = 'same' WHERE place = 1",
        "UPDATE report SET logSha256 = 'other'",
        "UPDATE report SET firstLook = '{'"
      })
  void damagedRowsCostTheReportAlone(String damage) throws Exception {
    Decision decision =
        new Decision("rel-0123456789", Decision.Outcome.DONE, Instant.EPOCH, "a ~ b");
    store().decisions().add(List.of(decision));
    keep(findings());
    TestDatabase.change(store().database(), damage);
    Failure none = assertThrows(Failure.class, () -> store().report().list());
    assertTrue(none.getMessage().contains("no report yet"), none.getMessage());
    assertEquals(List.of(), notices, "the database stays");
    assertEquals(Optional.empty(), store().report().origin());
    assertEquals(List.of(decision), List.copyOf(store().decisions().read().settled()));
    keep(findings());
    assertEquals(findings(), store().report().list().findings());
  }
}
