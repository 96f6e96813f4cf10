package dev.helixbg.insight.judge;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.helixbg.embed.store.AtomicFile;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The memory of what models said: {@code answers.jsonl}, a JSON object per line, only ever appended
 * to, until most of it is stale and it is written anew in one step.
 *
 * <p>An answer is found again by job, prompt version, model file and the whole text it is about.
 * Lines that cannot be read, such as one that was being written when the power went, are passed
 * over; the next line begins on a line of its own.
 */
public final class AnswerFile {
  /** Under this, nobody minds what is stale. */
  private static final int FEW_LINES = 256;

  private static final int MAX_TEXT = 20_000;
  private static final long MAX_BYTES = 1L << 28;
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final Path file;
  private final Optional<Turns> turns;
  private final Map<Id, Answer> answers = new LinkedHashMap<>();
  private int lines;

  private AnswerFile(Path file, Optional<Turns> turns) {
    this.file = file;
    this.turns = turns;
  }

  /** Lets one at a time write the file. */
  public interface Turns {
    /** For whoever sees to it otherwise that nobody else writes. */
    Turns NO_OTHERS = () -> () -> {};

    /** Waits for a turn; whatever it throws, {@link #add} throws, and nothing was saved. */
    Turn take() throws InterruptedException;

    /** A turn, until it is closed. */
    interface Turn extends AutoCloseable {
      @Override
      void close();
    }
  }

  /**
   * What is asked of whom.
   *
   * @param version of the prompt, budget included
   * @param model SHA-256 of the model file, in hexadecimal
   * @param key of the question
   */
  public record Id(Job job, String version, String model, String key) {}

  /**
   * Reads the file, if there is one.
   *
   * @param writable whether answers may be saved; otherwise they are only remembered
   * @throws JudgeException if it is so large that it cannot be one of ours
   */
  public static AnswerFile read(Path file, boolean writable) throws IOException {
    return read(file, writable ? Optional.of(Turns.NO_OTHERS) : Optional.empty());
  }

  /**
   * Reads the file, if there is one, to add answers while others may do so, too.
   *
   * @param turns taken for each writing
   * @throws JudgeException if it is so large that it cannot be one of ours
   */
  public static AnswerFile read(Path file, Turns turns) throws IOException {
    return read(file, Optional.of(turns));
  }

  private static AnswerFile read(Path file, Optional<Turns> turns) throws IOException {
    AnswerFile answers = new AnswerFile(file, turns);
    if (Files.isRegularFile(file)) {
      if (Files.size(file) > MAX_BYTES) {
        throw new JudgeException(
            file + " is larger than 256 MB: no helix-bg wrote it; move it away");
      }
      answers.readLines();
    }
    return answers;
  }

  private void readLines() throws IOException {
    lines = 0;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(new FileInputStream(file.toFile()), StandardCharsets.UTF_8))) {
      for (String line; (line = reader.readLine()) != null; ) {
        if (!line.isEmpty()) {
          lines++;
          parse(line);
        }
      }
    }
  }

  public Optional<Answer> find(Id id) {
    return Optional.ofNullable(answers.get(id));
  }

  /** Remembers answers, on disk before this returns. */
  public void add(Map<Id, Answer> some) throws IOException, InterruptedException {
    answers.putAll(some);
    if (turns.isPresent() && !some.isEmpty()) {
      try (Turns.Turn turn = turns.get().take()) {
        append(some);
      }
    }
  }

  private void append(Map<Id, Answer> some) throws IOException {
    StringBuilder text = new StringBuilder(endsWithinLine() ? "\n" : "");
    some.forEach((id, answer) -> text.append(line(id, answer)).append('\n'));
    lines += some.size();
    // Not a channel: a thread interrupt would close it in the middle of a line.
    try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
      out.getFD().sync();
    }
  }

  private boolean endsWithinLine() throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) == 0) {
      return false;
    }
    try (RandomAccessFile last = new RandomAccessFile(file.toFile(), "r")) {
      last.seek(last.length() - 1);
      return last.read() != '\n';
    }
  }

  /**
   * Forgets what nobody will ask again, if that is most of the file.
   *
   * @param keys of all questions that there are now; answers of other models to these stay
   * @param versions of the prompts in use
   * @return whether the file was written anew
   */
  public boolean compactIfMostlyStale(Set<String> keys, Collection<String> versions)
      throws IOException, InterruptedException {
    if (turns.isEmpty() || !isMostlyStale(keys, versions)) {
      return false;
    }
    try (Turns.Turn turn = turns.get().take()) {
      readLines(); // others may have added some
      compact(keys, versions);
      return true;
    }
  }

  private boolean isMostlyStale(Set<String> keys, Collection<String> versions) {
    long live = answers.keySet().stream().filter(id -> isLive(id, keys, versions)).count();
    return lines >= FEW_LINES && lines - live > live;
  }

  private void compact(Set<String> keys, Collection<String> versions) throws IOException {
    answers.keySet().removeIf(id -> !isLive(id, keys, versions));
    AtomicFile.replace(
        file,
        out -> {
          for (Map.Entry<Id, Answer> entry : answers.entrySet()) {
            String line = line(entry.getKey(), entry.getValue()) + "\n";
            out.write(line.getBytes(StandardCharsets.UTF_8));
          }
        });
    lines = answers.size();
  }

  private static boolean isLive(Id id, Set<String> keys, Collection<String> versions) {
    return keys.contains(id.key()) && versions.contains(id.version());
  }

  private static String line(Id id, Answer answer) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("job", id.job().title());
      json.writeStringField("prompt", id.version());
      json.writeStringField("model", id.model());
      json.writeStringField("key", id.key());
      json.writeStringField("answer", answer.text());
      if (!id.job().choices().isEmpty()) {
        json.writeNumberField("p", answer.probability());
        json.writeStringField("next", answer.runnerUp());
        json.writeNumberField("nextP", answer.runnerUpProbability());
      }
      json.writeBooleanField("cut", answer.cut());
      json.writeEndObject();
    } catch (IOException e) {
      throw new AssertionError("a StringWriter takes everything", e);
    }
    return text.toString();
  }

  /** Takes in a line that is one of ours; any other is nothing. */
  private void parse(String line) {
    String job = "";
    String version = "";
    String model = "";
    String key = "";
    String text = "";
    String next = "";
    double probability = 1;
    double nextProbability = 0;
    boolean cut = false;
    try (JsonParser json = JSON.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return;
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        switch (field) {
          case "job" -> job = json.getText();
          case "prompt" -> version = json.getText();
          case "model" -> model = json.getText();
          case "key" -> key = json.getText();
          case "answer" -> text = json.getText();
          case "p" -> probability = json.getDoubleValue();
          case "next" -> next = json.getText();
          case "nextP" -> nextProbability = json.getDoubleValue();
          case "cut" -> cut = value == JsonToken.VALUE_TRUE;
          default -> json.skipChildren();
        }
      }
      if (json.currentToken() != JsonToken.END_OBJECT) {
        return;
      }
    } catch (IOException e) {
      return;
    }
    Answer answer = new Answer(text, probability, next, nextProbability, cut);
    Optional<Job> known = Job.titled(job).filter(one -> isPossible(one, answer));
    if (known.isPresent()) {
      answers.put(new Id(known.get(), version, model, key), answer);
    }
  }

  /** Nobody can make the report say what no model could have said. */
  private static boolean isPossible(Job job, Answer answer) {
    List<String> choices = job.choices();
    return choices.isEmpty()
        ? answer.text().length() <= MAX_TEXT
        : choices.contains(answer.text())
            && choices.contains(answer.runnerUp())
            && isShare(answer.probability())
            && isShare(answer.runnerUpProbability())
            && answer.probability() + answer.runnerUpProbability() <= 1 + 1e-6;
  }

  private static boolean isShare(double value) {
    return value >= 0 && value <= 1; // false for NaN
  }
}
