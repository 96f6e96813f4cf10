package dev.helixbg.embed.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A file of lines of JSON in a folder of ours, only ever appended to, or written anew in one step.
 *
 * <p>It is read line by line, so that its size never matters. A line that is longer than any of
 * ours, or that its reader does not know, is passed over, such as the torn one that a power cut
 * leaves; what is appended then begins on a line of its own.
 */
public final class JsonLines {
  /** Of all such files in a folder; held for as long as it takes to write. */
  public static final String LOCK = ".helix-bg.append.lock";

  /** However long it takes others to write; whoever has it for longer hangs. */
  private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

  private static final int BUFFER_BYTES = 1 << 16;

  /** Under this, nobody minds what is stale. */
  private static final int FEW_LINES = 256;

  private final Path file;
  private final int longest;
  private final Output output;

  /**
   * @param longest bytes that a line can have; a longer one is damage
   */
  public JsonLines(Path file, int longest) {
    this(file, longest, Output.DISK);
  }

  /** The same on a disk that may be full. */
  JsonLines(Path file, int longest, Output output) {
    this.file = file;
    this.longest = longest;
    this.output = output;
  }

  /** Writes bytes to a place in a file; a seam for tests. */
  interface Output {
    Output DISK =
        (channel, bytes, at) -> {
          for (long to = at; bytes.hasRemaining(); ) {
            to += channel.write(bytes, to);
          }
        };

    void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException;
  }

  /** Is given lines, without their ends. */
  private interface Reader {
    /** Whether it is a line of ours. */
    boolean take(String line) throws IOException;
  }

  /**
   * Lines of a file, without those that are blank.
   *
   * @param taken that meant something to the reader
   * @param passedOver all others
   */
  public record Count(long taken, long passedOver) {
    static final Count NONE = new Count(0, 0);

    public long all() {
      return taken + passedOver;
    }
  }

  /** In bytes; 0 when there is no file. */
  public long size() throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /**
   * Reads all lines, one after the other; none when there is no file.
   *
   * @param parser of a line; empty for what is none of ours
   * @param sink of what was parsed
   * @throws IOException when there is something that cannot be read
   */
  public <T> Count read(Function<String, Optional<T>> parser, Consumer<? super T> sink)
      throws IOException {
    return read(
        line -> {
          Optional<T> parsed = parser.apply(line);
          parsed.ifPresent(sink);
          return parsed.isPresent();
        });
  }

  private Count read(Reader reader) throws IOException {
    PrivateFiles.requireFile(file);
    try (InputStream in = Files.newInputStream(file)) {
      return read(in, reader);
    } catch (NoSuchFileException e) {
      return Count.NONE;
    }
  }

  private Count read(InputStream in, Reader reader) throws IOException {
    Count count = Count.NONE;
    byte[] buffer = new byte[BUFFER_BYTES];
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int read; (read = in.read(buffer)) > 0; ) {
      for (int begin = 0; begin < read; begin++) {
        int end = begin;
        while (end < read && buffer[end] != '\n') {
          end++;
        }
        line.write(buffer, begin, Math.min(end - begin, longest + 1 - line.size()));
        if (end < read) {
          count = add(count, line, reader);
          line.reset();
        }
        begin = end;
      }
    }
    return add(count, line, reader);
  }

  private Count add(Count count, ByteArrayOutputStream line, Reader reader) throws IOException {
    String text = line.toString(UTF_8);
    if (text.isBlank()) {
      return count;
    }
    return line.size() <= longest && reader.take(text)
        ? new Count(count.taken() + 1, count.passedOver())
        : new Count(count.taken(), count.passedOver() + 1);
  }

  /**
   * Appends lines and waits until they are on the disk. The folder is made unless it is there, but
   * not the one that it is in.
   *
   * @param lines without ends
   * @throws IOException when they cannot be written; the file is then what it was
   */
  public void append(List<String> lines) throws IOException {
    byte[] bytes = (String.join("\n", lines) + "\n").getBytes(UTF_8);
    write(() -> append(bytes));
  }

  private void append(byte[] lines) throws IOException {
    try (FileChannel channel = PrivateFiles.open(file, CREATE, READ, WRITE)) {
      long end = channel.size();
      try {
        int torn = endsLine(channel, end) ? 0 : 1;
        ByteBuffer bytes = ByteBuffer.allocate(torn + lines.length);
        bytes.position(torn).put(lines).rewind();
        if (torn == 1) {
          bytes.put(0, (byte) '\n');
        }
        output.write(channel, bytes, end);
        channel.force(true);
      } catch (IOException e) {
        channel.truncate(end);
        throw e;
      }
      if (end == 0) {
        AtomicFile.syncFolder(file.toAbsolutePath().getParent());
      }
    }
  }

  private static boolean endsLine(FileChannel channel, long end) throws IOException {
    ByteBuffer last = ByteBuffer.allocate(1);
    return end == 0 || channel.read(last, end - 1) == 1 && last.get(0) == '\n';
  }

  /**
   * Writes the file anew in one step.
   *
   * @param kept which lines it keeps, in their order
   */
  public void rewrite(Predicate<String> kept) throws IOException {
    write(
        () ->
            AtomicFile.replace(
                file,
                out ->
                    read(
                        line -> {
                          if (kept.test(line)) {
                            out.write((line + "\n").getBytes(UTF_8));
                          }
                          return true;
                        })));
  }

  /**
   * Writes the file anew with its live lines, if most of many are not.
   *
   * @param permit is run before; what it throws, this throws, and nothing was written
   * @return whether it was written
   */
  public boolean forgetStale(Predicate<String> isLive, Runnable permit) throws IOException {
    Count count = read(isLive::test);
    boolean mostlyStale = count.all() >= FEW_LINES && count.passedOver() > count.taken();
    if (mostlyStale) {
      permit.run();
      rewrite(isLive);
    }
    return mostlyStale;
  }

  private void write(UninterruptedWork.Work work) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    PrivateFiles.makeFolder(folder);
    PrivateFiles.refuseLink(file);
    UninterruptedWork.run(
        () -> {
          try (ProcessLock lock =
              ProcessLock.take(folder.resolve(LOCK), LOCK_WAIT)
                  .orElseThrow(
                      () ->
                          new FileSystemException(
                              file.toString(), null, "another helix-bg keeps writing it"))) {
            work.run();
          }
        });
  }

  /**
   * As files and answers have it: what is behind six decimals of a model's number means nothing.
   */
  public static double sixDecimals(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
