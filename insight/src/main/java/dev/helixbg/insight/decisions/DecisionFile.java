package dev.helixbg.insight.decisions;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.insight.decisions.Decision.Verdict;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code insights/decisions.jsonl}: one decision a line, only ever appended to, so that it outlasts
 * compactions, new models and lost caches.
 *
 * <pre>
 * {"at":"2026-03-14T09:30:00Z","id":"dup-3f9a01c2d4","decision":"dismissed","about":"auth:1 ~ auth:7"}
 * </pre>
 *
 * A line that is no decision, such as the torn end that a power cut leaves, is passed over and
 * counted; the next append begins on a line of its own.
 */
public final class DecisionFile {
  public static final String NAME = "decisions.jsonl";

  /** Nobody writes longer ones; what is longer is damage. */
  private static final int MAX_LINE = 1 << 16;

  private static final int MAX_ABOUT = 500;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;

  /**
   * @param insights the folder that the file is in
   */
  public DecisionFile(Path insights) {
    this.file = insights.resolve(NAME);
  }

  public Path path() {
    return file;
  }

  /**
   * Reads all of it; no file is no decisions.
   *
   * @throws IOException when there is a file that cannot be read
   */
  public Decisions read() throws IOException {
    List<Decision> decisions = new ArrayList<>();
    int unreadable = 0;
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(Files.newInputStream(file), UTF_8))) {
      for (String line; (line = lines.readLine()) != null; ) {
        if (!line.isBlank()) {
          Optional<Decision> decision = parse(line);
          decision.ifPresent(decisions::add);
          unreadable += decision.isPresent() ? 0 : 1;
        }
      }
    } catch (NoSuchFileException e) {
      return Decisions.NONE;
    }
    return new Decisions(decisions, unreadable);
  }

  /**
   * Appends decisions and waits until they are on the disk. Two processes that append at once come
   * one after the other.
   *
   * @throws IOException when the file cannot be written
   */
  public void append(List<Decision> decisions) throws IOException {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (Decision decision : decisions) {
      write(decision, lines);
    }
    if (!Files.isDirectory(file.getParent())) {
      Files.createDirectory(file.getParent()); // not the KB, if that has gone
    }
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      long end = channel.size();
      ByteBuffer bytes = ByteBuffer.wrap(lines.toByteArray());
      if (end > 0 && !endsLine(channel, end)) {
        end += channel.write(ByteBuffer.wrap(new byte[] {'\n'}), end);
      }
      while (bytes.hasRemaining()) {
        end += channel.write(bytes, end);
      }
      channel.force(true);
    }
  }

  private static boolean endsLine(FileChannel channel, long end) throws IOException {
    ByteBuffer last = ByteBuffer.allocate(1);
    return channel.read(last, end - 1) == 1 && last.get(0) == '\n';
  }

  private static Optional<Decision> parse(String line) {
    if (line.length() > MAX_LINE) {
      return Optional.empty();
    }
    try {
      JsonNode json = JSON.readTree(line);
      String id = json.path("id").asText();
      String verdict = json.path("decision").asText();
      if (!Decision.isId(id) || !verdict.equals(verdict.toLowerCase(Locale.ROOT))) {
        return Optional.empty();
      }
      return Optional.of(
          new Decision(
              id,
              Verdict.valueOf(verdict.toUpperCase(Locale.ROOT)),
              Instant.parse(json.path("at").asText()),
              json.path("about").asText()));
    } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static void write(Decision decision, ByteArrayOutputStream out) throws IOException {
    String about = decision.about();
    try (JsonGenerator json = JSON.getFactory().createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("at", decision.at().toString());
      json.writeStringField("id", decision.id());
      json.writeStringField("decision", decision.verdict().name().toLowerCase(Locale.ROOT));
      json.writeStringField("about", about.substring(0, Math.min(MAX_ABOUT, about.length())));
      json.writeEndObject();
    }
    out.write('\n');
  }
}
