package dev.helixbg.daemon.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How far helix-bg has come with a KB: {@code insights/cursor.json}, replaced only after a report
 * was published. Whoever finds everything as the cursor says has nothing to do. It is sealed: in a
 * folder that somebody else made it counts for nothing, and what lies there is made anew.
 *
 * @param logSha256 of the log that was read
 * @param basis of everything else that a report is made from
 * @param content of the vectors and reports as they were left, by hash: sizes and times can be set
 * @param questions that the language model has not been asked yet
 * @param summary of the report for a terminal, with colours
 */
public record KbCursor(
    String logSha256, Pipeline.Basis basis, String content, int questions, String summary) {
  public static final String NAME = "cursor.json";
  private static final int SCHEMA = 4;
  private static final int MAX_BYTES = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Empty when there is none that can be used, which only costs the work once more. */
  public static Optional<KbCursor> read(Kb kb, ReportSeal seal) {
    try {
      JsonNode json = JSON.readTree(bytes(file(kb)));
      KbCursor cursor =
          new KbCursor(
              json.path("logSha256").asText(),
              new Pipeline.Basis(
                  json.at("/basis/made").asText(),
                  json.at("/basis/decided").asText(),
                  json.at("/basis/reviewed").asText()),
              json.path("content").asText(),
              json.path("questions").asInt(),
              json.path("summary").asText());
      return json.path("schema").asInt() == SCHEMA
              && json.path("seal").asText().equals(cursor.sealed(kb, seal))
          ? Optional.of(cursor)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * What vectors and reports hold, read as a whole; empty when they cannot be read, or the reports
   * are not those that this user's helix-bg wrote.
   */
  static Optional<String> contentOf(Kb kb, SealedReports reports, KbFiles files) {
    try {
      Optional<String> report = reports.asWritten(kb);
      if (report.isEmpty()) {
        return Optional.empty();
      }
      List<String> parts = new ArrayList<>(List.of(report.get()));
      for (Path vectors : KbStamp.vectorFiles(kb)) {
        parts.add(files.hash(vectors).orElse(""));
      }
      return Optional.of(Sha256.of(parts));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether it was left for this log, and vectors and reports are what they were then. */
  boolean holds(String logSha256, Kb kb, SealedReports reports, KbFiles files) {
    return this.logSha256.equals(logSha256)
        && contentOf(kb, reports, files).filter(content::equals).isPresent();
  }

  /** The same with what vectors and reports hold now. */
  KbCursor with(String otherContent) {
    return new KbCursor(logSha256, basis, otherContent, questions, summary);
  }

  /** Writes nothing where no seal can be had: it would not be believed. */
  public void write(Kb kb, ReportSeal seal) {
    String sealed;
    try {
      sealed = sealed(kb, seal);
    } catch (IOException e) {
      return;
    }
    try {
      byte[] bytes =
          JSON.writerWithDefaultPrettyPrinter()
              .writeValueAsBytes(Json.of(this).put("schema", SCHEMA).put("seal", sealed));
      PrivateFiles.makeFolder(kb.insights());
      AtomicFile.replace(file(kb), out -> out.write(bytes));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write the cursor to " + kb.insights(), e);
    }
  }

  private String sealed(Kb kb, ReportSeal seal) throws IOException {
    return seal.on(
        kb,
        List.of(
            NAME,
            logSha256,
            basis.made(),
            basis.decided(),
            basis.reviewed(),
            content,
            "" + questions,
            summary));
  }

  private static byte[] bytes(Path file) throws IOException {
    return Files.isRegularFile(file) && Files.size(file) <= MAX_BYTES
        ? Files.readAllBytes(file)
        : new byte[0];
  }

  private static Path file(Kb kb) {
    return kb.insights().resolve(NAME);
  }
}
