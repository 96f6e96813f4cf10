package dev.helixbg.daemon.server;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.insight.acts.ReportedFinding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the user of findings that newly lead a report, at most once a day, in one line: how many,
 * out of how many, and where the report is; never what an entry says. When that was, and which
 * findings were known then, survives a restart.
 */
final class DesktopNotices {
  private static final Logger LOG = LoggerFactory.getLogger(DesktopNotices.class);
  private static final Duration DAY = Duration.ofDays(1);
  private static final long SECONDS_TO_SHOW = 5;

  interface Desktop {
    void show(String line) throws IOException, InterruptedException;
  }

  private final Path file;
  private final DaemonClock clock;
  private final Desktop desktop;
  private Mark mark;
  private long writtenSeen = -1;

  /**
   * The last notice.
   *
   * @param findings the ids of those that were told of and are still in a report
   */
  private record Mark(Instant at, Set<String> findings) {}

  /**
   * @param file where the last notice is remembered
   */
  DesktopNotices(Path file, DaemonClock clock, Desktop desktop) {
    this.file = file;
    this.clock = clock;
    this.desktop = desktop;
  }

  /**
   * Tells of what is new, if a day has passed since it last did.
   *
   * @param kbs whose reports are up to date
   * @param written how many reports were since the start
   */
  void consider(List<KbStore> kbs, long written) throws IOException, InterruptedException {
    if (written == writtenSeen) {
      return;
    }
    if (mark == null) {
      mark = read();
    }
    Duration since = Duration.between(mark.at(), clock.now());
    if (!since.isNegative() && since.compareTo(DAY) < 0) { // negative: the clock was wrong then
      return;
    }
    Set<String> known = new TreeSet<>();
    List<KbStore> withNew = new ArrayList<>();
    int count = 0;
    int ranked = 0;
    for (KbStore kb : kbs) {
      int before = count;
      int relations = 0;
      for (ReportedFinding finding : listed(kb)) {
        relations += finding.rank().isPresent() ? 1 : 0;
        boolean isTold = mark.findings().contains(finding.id());
        if (isTold || finding.leads()) {
          known.add(finding.id());
          count += isTold ? 0 : 1;
        }
      }
      if (count > before) {
        withNew.add(kb);
        ranked += relations;
      }
    }
    writtenSeen = written;
    if (count == 0) {
      return;
    }
    // Before it is shown: whatever happens then, it is not shown twice.
    mark = new Mark(clock.now(), known);
    write(mark);
    desktop.show(
        "helix-bg: %d new among what is most worth doing%s (%d candidates ranked): %s"
            .formatted(
                count,
                withNew.size() == 1 ? "" : " in " + withNew.size() + " knowledge bases",
                ranked,
                withNew.getFirst().outputs().shown().html()));
  }

  private static List<ReportedFinding> listed(KbStore kb) {
    try {
      return kb.report().list().findings();
    } catch (Failure e) {
      LOG.debug("no findings to tell of: {}", e.getMessage());
      return List.of();
    }
  }

  private Mark read() throws IOException {
    try {
      PrivateFiles.requireFile(file);
      JsonNode json = new ObjectMapper().readTree(Files.readString(file));
      Set<String> findings = new TreeSet<>();
      json.path("findings").forEach(id -> findings.add(id.asText()));
      return new Mark(Instant.parse(json.path("at").asText()), findings);
    } catch (NoSuchFileException | JacksonException | DateTimeException e) {
      return new Mark(Instant.EPOCH, Set.of());
    }
  }

  private void write(Mark now) throws IOException {
    ObjectNode json = Json.object().put("at", now.at().toString());
    now.findings().forEach(json.withArray("findings")::add);
    AtomicFile.replace(file, out -> out.write((json + "\n").getBytes(StandardCharsets.UTF_8)));
  }

  /** By the notifications of the desktop; where there are none, the log says so. */
  static void showOnDesktop(String line) throws InterruptedException {
    List<String> command = command(line, System.getProperty("os.name"));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      Optional<String> trouble =
          !process.waitFor(SECONDS_TO_SHOW, TimeUnit.SECONDS)
              ? Optional.of("it does not end")
              : process.exitValue() == 0
                  ? Optional.empty()
                  : Optional.of("it ended with code " + process.exitValue());
      process.destroyForcibly();
      trouble.ifPresent(why -> LOG.warn("{} showed no notification: {}", command.getFirst(), why));
    } catch (IOException e) {
      LOG.warn("no notification: {}", e.getMessage());
    }
  }

  /** The line is an argument, and nothing interprets it: no shell, no markup, no script. */
  static List<String> command(String line, String osName) {
    return osName.startsWith("Mac")
        ? List.of(
            "osascript",
            "-e",
            "on run argv",
            "-e",
            "display notification (item 1 of argv) with title \"helix-bg\"",
            "-e",
            "end run",
            line)
        : List.of("notify-send", "--app-name=helix-bg", "--", line);
  }
}
