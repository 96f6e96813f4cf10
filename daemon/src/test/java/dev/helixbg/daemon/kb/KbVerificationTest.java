package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.HxecFile;
import dev.helixbg.embed.cache.VectorIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what {@code verify} reports about a KB's store and its published files. */
class KbVerificationTest {
  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;

  @BeforeEach
  void run() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(3), 40);
    daemon = new DaemonFixture(folder, writer.kb());
    daemon.run(Duration.ofMinutes(1));
  }

  private KbVerification.Result verified() throws InterruptedException {
    return KbVerification.of(daemon.store(), new VectorIds(List.of("fake"), List.of("fake")), 256);
  }

  private CheckLine check(String name) throws InterruptedException {
    return verified().checks().stream()
        .filter(check -> check.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void afterARunAllIsWellAndNothingIsToBeDone() throws Exception {
    KbVerification.Result result = verified();
    assertTrue(
        result.checks().stream().allMatch(check -> check.state() == CheckLine.State.OK),
        result.toString());
    assertEquals(List.of(), result.aRunWould());
    assertTrue(check("store").detail().endsWith("kb.db, sound"), check("store").detail());
  }

  @Test
  void vectorsThatAreMissingAreCounted() throws Exception {
    writer.append("topic", "not embedded yet");
    writer.append("topic", "nor is this");
    assertTrue(verified().aRunWould().contains("embed 2 entries"), verified().toString());
    assertTrue(check("vectors").detail().startsWith("40 of 42"), check("vectors").detail());
    assertEquals("made from an earlier state of the log", check("report").detail());
  }

  /** A run publishes changed files anew, and never reads them. */
  @Test
  void outputsThatChangedAreNamed() throws Exception {
    Files.writeString(ReportFolder.of(writer.kb()).json(), "{}");
    Files.delete(writer.kb().folder().resolve(HxecFile.NAME));
    CheckLine published = check("published");
    assertEquals(CheckLine.State.NOTE, published.state());
    assertEquals(
        "report.json, embeddings.bin: missing, or changed since they were published",
        published.detail());
    assertEquals(List.of("publish report.json, embeddings.bin"), verified().aRunWould());
    Path html = ReportFolder.of(writer.kb()).html();
    Path same = Files.move(html, folder.resolve("report.html"));
    Files.createSymbolicLink(html, same); // the target has the published content
    assertTrue(check("published").detail().contains("report.html"), check("published").detail());
  }

  @Test
  void aDamagedDatabaseIsAProblem() throws IOException, InterruptedException {
    daemon.stores.close();
    Path file = daemon.store().database().file();
    byte[] bytes = Files.readAllBytes(file);
    for (int i = bytes.length / 2; i < bytes.length; i += 7) {
      bytes[i] ^= 0x55;
    }
    Files.write(file, bytes);
    CheckLine store = check("store");
    assertEquals(CheckLine.State.PROBLEM, store.state(), verified().toString());
  }
}
