package dev.helixbg.daemon.kb;

import dev.helixbg.insight.log.DataLogBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A knowledge base that a test writes to as helix does: appends, edits, deletes, compactions. */
public final class WritableKb {
  private static final String[] WORDS =
      "lease batch cursor cache queue index token broker schema retry limit disk".split(" ");

  private record Note(int offset, String topic, String body) {}

  private final Path log;
  private final Random random;
  private final List<Note> live = new ArrayList<>();
  private int size;
  private int written;

  public WritableKb(Path folder, Random random) throws IOException {
    this.log = Files.createDirectories(folder).resolve("data.log");
    this.random = random;
    Files.write(log, new DataLogBytes().toByteArray());
    size = (int) Files.size(log);
  }

  public WritableKb(Path folder, Random random, int entries) throws IOException {
    this(folder, random);
    append(entries);
  }

  public Kb kb() {
    return new Kb(log.getParent());
  }

  public Path log() {
    return log;
  }

  public int live() {
    return live.size();
  }

  public void append(int entries) throws IOException {
    for (int i = 0; i < entries; i++) {
      append();
    }
  }

  public void append() throws IOException {
    StringBuilder body = new StringBuilder("note " + written++);
    for (int w = random.nextInt(8); w >= 0; w--) {
      body.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
    }
    append("topic-" + random.nextInt(4), body.toString());
  }

  public void append(String topic, String body) throws IOException {
    byte[] record = record(topic, body);
    live.add(new Note(size, topic, body));
    write(record);
  }

  /** Appends only the beginning of an entry; {@link #restOf} appends the rest. */
  public byte[] appendTorn() throws IOException {
    byte[] record = record("topic-0", "torn note " + written++);
    live.add(new Note(size, "topic-0", "torn note " + (written - 1)));
    int cut = 1 + random.nextInt(record.length - 1);
    write(Arrays.copyOf(record, cut));
    return Arrays.copyOfRange(record, cut, record.length);
  }

  public void restOf(byte[] torn) throws IOException {
    write(torn);
  }

  /** Returns a text of about twenty passages, none of which occurs in another text. */
  public static String longText(String of) {
    return IntStream.range(0, 160)
        .mapToObj(i -> of + " says in part " + i + " what no other part says.")
        .collect(Collectors.joining(" "));
  }

  private static byte[] record(String topic, String body) {
    DataLogBytes bytes = new DataLogBytes();
    bytes.entry(topic, body, 29_000_000);
    return bytes.records();
  }

  public void delete() throws IOException {
    if (!live.isEmpty()) {
      Note gone = live.remove(random.nextInt(live.size()));
      delete(gone.offset());
    }
  }

  /** Deletes a live note by its position among the live notes. */
  public void deleteAt(int place) throws IOException {
    delete(live.remove(place).offset());
  }

  private void delete(int offset) throws IOException {
    byte[] bytes = new DataLogBytes().delete(offset).toByteArray();
    write(Arrays.copyOfRange(bytes, 8, bytes.length));
  }

  /**
   * Appends the new text of an edit, and returns the old entry's offset, which {@link
   * #deleteEdited} needs.
   */
  public int appendEdited() throws IOException {
    if (live.isEmpty()) {
      return -1;
    }
    Note old = live.remove(random.nextInt(live.size()));
    append(old.topic(), old.body() + " edited " + written++);
    return old.offset();
  }

  public void deleteEdited(int offset) throws IOException {
    if (offset >= 0) {
      delete(offset);
    }
  }

  private void write(byte[] bytes) throws IOException {
    Files.write(log, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    size += bytes.length;
  }

  /** Replaces the log by a new file that has only the live entries, at new offsets. */
  public void compact() throws IOException {
    DataLogBytes compacted = new DataLogBytes();
    for (int i = 0; i < live.size(); i++) {
      Note note = live.get(i);
      live.set(
          i,
          new Note(
              compacted.entry(note.topic(), note.body(), 29_000_000), note.topic(), note.body()));
    }
    Path next = log.resolveSibling("data.log.new");
    Files.write(next, compacted.toByteArray());
    Files.move(next, log, StandardCopyOption.ATOMIC_MOVE);
    size = compacted.size();
  }

  /** Cuts the log at a random offset; the rest is lost. */
  public void truncate() throws IOException {
    size = 8 + random.nextInt(Math.max(1, size - 8));
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(bytes, size));
    live.removeIf(note -> note.offset() + record(note.topic(), note.body()).length > size);
    if (live.isEmpty() || size > 8) {
      compact(); // helix does so when it finds a torn tail
    }
  }

  public void touch(long millis) throws IOException {
    Files.setLastModifiedTime(log, FileTime.fromMillis(millis));
  }
}
