package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.cache.HxecFile;
import dev.helixbg.insight.findings.Analysis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how files are published into the KB's folder, and what happens to files already there. */
class KbOutputsTest {
  @TempDir Path folder;

  private final FakeModel model = new FakeModel();
  private WritableKb writer;
  @AutoClose private KbStores stores;

  /** Number of times that entries were compared. */
  private int analyses;

  @BeforeEach
  void write() throws IOException {
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 10);
    stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {});
  }

  private KbStore store() {
    return stores.of(writer.kb());
  }

  private OneShotRun.Result run() throws InterruptedException {
    Settings settings = DaemonFixture.settings(folder, Map.of());
    Pipeline pipeline =
        new Pipeline(
            settings,
            model,
            (entries, vectors, passages, threads) -> {
              analyses++;
              return Analysis.run(entries, vectors, passages, threads);
            },
            DaemonFixture.NO_READING,
            JudgingStage.withoutAsking(settings),
            DaemonFixture.SILENT);
    return DaemonFixture.oneShot(pipeline, store());
  }

  private Path file(String name) {
    return name.equals(HxecFile.NAME)
        ? writer.kb().folder().resolve(name)
        : writer.kb().insights().resolve(name);
  }

  @Test
  void aRunLeavesTheFourOutputsAndNothingElse() throws Exception {
    run();
    assertEquals(
        List.of("data.log", HxecFile.NAME, "insights"), OnDisk.names(writer.kb().folder()));
    assertEquals(
        List.of("report.html", "report.json", "report.md"), OnDisk.names(writer.kb().insights()));
    assertEquals("rwx------", OnDisk.mode(writer.kb().insights()));
    assertEquals("rw-------", OnDisk.mode(file("report.json")));
    assertEquals("rw-------", OnDisk.mode(file(HxecFile.NAME)));
    assertTrue(store().outputs().changed().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"report.html", "report.json", HxecFile.NAME})
  void aFolderInTheWayIsRefusedInWords(String name) throws Exception {
    Files.createDirectories(file(name).resolve("not empty"));
    Failure refused = assertThrows(Failure.class, this::run);
    assertEquals(ExitCode.WRITE, refused.code());
    assertTrue(
        refused.getMessage().contains("there is already a folder with the name " + name),
        refused.getMessage());
    assertTrue(
        refused.getMessage().contains(file(name).getParent().toString()), refused.getMessage());
    assertTrue(Files.isDirectory(file(name).resolve("not empty")));
    assertTrue(store().report().origin().isPresent(), "the report is in the store all the same");
  }

  @Test
  void aLinkInPlaceOfInsightsIsRefusedInWords() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Files.createSymbolicLink(writer.kb().insights(), elsewhere);
    Failure refused = assertThrows(Failure.class, this::run);
    assertEquals(ExitCode.WRITE, refused.code());
    assertTrue(refused.getMessage().contains("it is a link"), refused.getMessage());
    assertEquals(List.of(), OnDisk.names(elsewhere));
  }

  @Test
  void whatSomebodyDeletedOrChangedComesBackWithoutANewRun() throws Exception {
    run();
    byte[] report = Files.readAllBytes(file("report.md"));
    byte[] vectors = Files.readAllBytes(file(HxecFile.NAME));
    Files.delete(file("report.html"));
    Files.writeString(file("report.md"), "changed");
    Files.delete(file(HxecFile.NAME));
    assertEquals(List.of("report.html", "report.md", HxecFile.NAME), store().outputs().changed());
    run();
    assertTrue(Files.exists(file("report.html")));
    assertArrayEquals(report, Files.readAllBytes(file("report.md")));
    assertArrayEquals(vectors, Files.readAllBytes(file(HxecFile.NAME)));
    assertEquals(List.of(), store().outputs().changed());
    assertEquals(1, model.opened.get());

    Files.delete(file("report.html"));
    int before = analyses;
    assertTrue(run().made().isEmpty());
    assertTrue(Files.exists(file("report.html")));
    assertEquals(before, analyses, "a report alone costs no comparison");
  }

  @Test
  void whereNothingChangedNothingIsDone() throws Exception {
    run();
    Map<String, Object> before = Files.readAttributes(file("report.json"), "unix:ino,ctime");
    assertTrue(run().made().isEmpty());
    assertEquals(before, Files.readAttributes(file("report.json"), "unix:ino,ctime"));
    assertEquals(1, analyses);
    assertEquals(1, model.opened.get());
  }

  @Test
  void aReportKeepsTheModeThatItsUserGaveIt() throws Exception {
    run();
    OnDisk.setMode(file("report.html"), "r--------");
    OnDisk.setMode(file("report.json"), "rw-r-----");
    writer.append();
    run();
    assertEquals("r--------", OnDisk.mode(file("report.html")));
    assertEquals("rw-r-----", OnDisk.mode(file("report.json")));
  }

  @Test
  void aFolderThatCannotBeWrittenToIsReportedOnFromTheStore() throws Exception {
    Path kb = writer.kb().folder();
    assumeFalse(
        Integer.valueOf(0).equals(Files.getAttribute(kb, "unix:uid")), "root may write anywhere");
    OnDisk.setMode(kb, "r-xr-xr-x");
    try {
      assertTrue(run().made().isPresent());
      assertEquals(List.of("data.log"), OnDisk.names(kb));
      Path html = store().outputs().shown().html();
      assertEquals(store().folder(), html.getParent());
      assertTrue(Files.size(html) > 0);
      assertTrue(run().made().isEmpty(), "and is not made again and again");
    } finally {
      OnDisk.setMode(kb, "rwx------");
    }
  }
}
