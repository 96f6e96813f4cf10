package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.ReportFolder.Hashes;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The reports of KBs. A folder may come from somebody else, with a report whose edits are theirs:
 * so only that is read which this user's helix-bg wrote in this very folder, by its content. The
 * hashes of the last reports are in {@code insights/seal.json}, sealed.
 *
 * <p>That file is written before the reports are: whoever reads meanwhile, and whatever crashes,
 * meets reports that it knows.
 */
public final class SealedReports {
  public static final String NAME = "seal.json";

  /** That which was there, that which is being written, and that which a crash kept from it. */
  private static final int KNOWN = 3;

  /** A file that changed more recently may change again without its state telling. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final int SCHEMA = 1;
  private static final int MAX_BYTES = 1 << 16;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ReportSeal seal;
  private final InstantSource clock;
  private final Hashing hashing;

  /** Files that this process has read as a whole. */
  private final Map<Path, Hashed> hashed = new ConcurrentHashMap<>();

  /**
   * @param state that the file had before and after
   */
  private record Hashed(FileState state, String sha256) {}

  public SealedReports(ReportSeal seal) {
    this(seal, InstantSource.system(), Sha256::of);
  }

  SealedReports(ReportSeal seal, InstantSource clock, Hashing hashing) {
    this.seal = seal;
    this.clock = clock;
    this.hashing = hashing;
  }

  /** The SHA-256 of all that is left to read; a seam for tests. */
  interface Hashing {
    String of(InputStream in) throws IOException;
  }

  public ReportSeal seal() {
    return seal;
  }

  /**
   * Writes a report into its KB.
   *
   * @throws Failure with {@link ExitCode#WRITE}
   */
  public void write(Kb kb, Report report) {
    write(kb, ReportFolder.Content.of(report));
  }

  void write(Kb kb, ReportFolder.Content content) {
    ReportFolder.of(kb).write(content, hashes -> vouchFor(kb, hashes));
  }

  private void vouchFor(Kb kb, Hashes now) throws IOException {
    Optional<byte[]> voucher = voucher(kb, now);
    if (voucher.isPresent()) {
      AtomicFile.update(kb.insights().resolve(NAME), voucher.get());
    }
  }

  /** What is to be in the file; empty without a key, since nothing would be believed. */
  Optional<byte[]> voucher(Kb kb, Hashes now) {
    try {
      List<Hashes> known = new ArrayList<>(List.of(now));
      known(kb).stream().filter(old -> !old.equals(now)).limit(KNOWN - 1).forEach(known::add);
      ObjectNode json = Json.object().put("schema", SCHEMA);
      json.set("reports", Json.array(known, Json::of));
      return Optional.of(JSON.writeValueAsBytes(json.put("seal", sealed(kb, known))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private String sealed(Kb kb, List<Hashes> reports) throws IOException {
    List<String> parts = new ArrayList<>(List.of(NAME));
    for (Hashes report : reports) {
      parts.addAll(List.of(report.html(), report.markdown(), report.json()));
    }
    return seal.on(kb, parts);
  }

  /**
   * Reports that were written here, the newest first; none where the seal is not this user's.
   *
   * @throws IOException when that cannot be told
   */
  private List<Hashes> known(Kb kb) throws IOException {
    Path file = kb.insights().resolve(NAME);
    if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
      return List.of();
    }
    JsonNode json;
    try {
      json = JSON.readTree(Files.readAllBytes(file));
    } catch (JacksonException e) {
      return List.of();
    }
    List<Hashes> reports = new ArrayList<>();
    for (JsonNode report : json.path("reports")) {
      reports.add(
          new Hashes(
              report.path("html").asText(),
              report.path("markdown").asText(),
              report.path("json").asText()));
    }
    boolean ours =
        json.path("schema").asInt() == SCHEMA
            && json.path("seal").asText().equals(sealed(kb, reports));
    return ours ? reports : List.of();
  }

  /**
   * What the files of the last report hold; empty when they are not as they were written, byte for
   * byte.
   */
  public Optional<String> asWritten(Kb kb) throws IOException {
    List<Hashes> known = known(kb);
    if (known.isEmpty()) {
      return Optional.empty();
    }
    ReportFolder folder = ReportFolder.of(kb);
    try {
      Hashes there =
          new Hashes(sha256(folder.html()), sha256(folder.markdown()), sha256(folder.json()));
      return Optional.of(there.joined()).filter(known.getFirst().joined()::equals);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * The last report as Markdown.
   *
   * @throws Failure with {@link ExitCode#KB} when there is none that this user's helix-bg wrote
   */
  public String markdown(Kb kb) {
    return new String(
        bytes(kb, ReportFolder.of(kb).markdown(), Hashes::markdown), StandardCharsets.UTF_8);
  }

  /**
   * Copies the last report as JSON.
   *
   * @throws Failure with {@link ExitCode#KB} when there is none that this user's helix-bg wrote
   */
  public void copyJson(Kb kb, OutputStream out) {
    json(kb, file -> Channels.newInputStream(file).transferTo(out));
  }

  /**
   * Copies the files of the last report into another folder.
   *
   * @param to is made where there is none, but not the one that it is in
   * @throws Failure with {@link ExitCode#KB} when there is none that this user's helix-bg wrote,
   *     with {@link ExitCode#WRITE}
   */
  public void copy(Kb kb, Path to) {
    ReportFolder from = ReportFolder.of(kb);
    ReportFolder.in(to)
        .write(
            new ReportFolder.Content(
                () -> bytes(kb, from.html(), Hashes::html),
                () -> bytes(kb, from.markdown(), Hashes::markdown),
                () -> bytes(kb, from.json(), Hashes::json)),
            hashes -> {});
  }

  private byte[] bytes(Kb kb, Path file, Function<Hashes, String> form) {
    return read(kb, file, form, open -> Channels.newInputStream(open).readAllBytes());
  }

  /** Reads report.json. */
  <T> T json(Kb kb, Reading<T> reading) {
    return read(kb, ReportFolder.of(kb).json(), Hashes::json, reading);
  }

  /** What is done with a report whose every byte is known to be as it was written. */
  interface Reading<T> {
    T read(FileChannel file) throws IOException;
  }

  private <T> T read(Kb kb, Path file, Function<Hashes, String> form, Reading<T> reading) {
    try {
      PrivateFiles.refuseLink(kb.insights());
      FileState before = FileState.of(file);
      try (FileChannel open = PrivateFiles.open(file, StandardOpenOption.READ)) {
        List<Hashes> known = known(kb); // after it was opened: then they are of this one, too
        if (known.isEmpty()) {
          throw foreign(kb);
        }
        String sha256 = sha256(file, before, open);
        if (known.stream().map(form).noneMatch(sha256::equals)) {
          throw foreign(kb);
        }
        return reading.read(open);
      }
    } catch (NoSuchFileException e) {
      throw new Failure(
          ExitCode.KB, "there is no report yet in " + kb.insights() + ": run helix-bg one-shot");
    } catch (ClosedByInterruptException e) {
      throw (CancellationException) new CancellationException("called off").initCause(e);
    } catch (IOException e) {
      throw Failure.io(ExitCode.KB, "read " + file, e);
    }
  }

  private static Failure foreign(Kb kb) {
    return new Failure(
        ExitCode.KB,
        "the report in "
            + kb.insights()
            + " is not one that your helix-bg wrote there, and nothing in it is believed: run"
            + " helix-bg one-shot, which makes it anew");
  }

  private String sha256(Path file) throws IOException {
    FileState before = FileState.of(file);
    try (FileChannel open = PrivateFiles.open(file, StandardOpenOption.READ)) {
      return sha256(file, before, open);
    }
  }

  /** Of an open file, which is then at its beginning. Read once while its state stays. */
  private String sha256(Path file, FileState before, FileChannel open) throws IOException {
    Hashed last = hashed.get(file);
    if (last != null && last.state().equals(before) && FileState.of(file).equals(before)) {
      return last.sha256();
    }
    String sha256 = hashing.of(Channels.newInputStream(open));
    open.position(0);
    boolean settled = before.changed().toInstant().isBefore(clock.instant().minus(SETTLED));
    if (settled && FileState.of(file).equals(before)) {
      hashed.put(file, new Hashed(before, sha256));
    }
    return sha256;
  }
}
