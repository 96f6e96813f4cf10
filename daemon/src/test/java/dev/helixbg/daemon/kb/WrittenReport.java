package dev.helixbg.daemon.kb;

import dev.helixbg.config.Sha256;
import java.io.IOException;
import java.nio.file.Files;

/** A report with any JSON, as if helix-bg had written it, but synced to no disk. */
public final class WrittenReport {
  private WrittenReport() {}

  public static void write(Kb kb, SealedReports reports, String json) throws IOException {
    ReportFolder folder = ReportFolder.of(kb);
    Files.createDirectories(kb.insights());
    ReportFolder.Hashes hashes =
        new ReportFolder.Hashes(Sha256.of("html"), Sha256.of("markdown"), Sha256.of(json));
    Files.write(
        kb.insights().resolve(SealedReports.NAME), reports.voucher(kb, hashes).orElseThrow());
    Files.writeString(folder.html(), "html");
    Files.writeString(folder.markdown(), "markdown");
    Files.writeString(folder.json(), json);
  }
}
