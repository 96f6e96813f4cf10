package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonLinesTest {
  private static final int LONGEST = 200;

  @TempDir Path folder;
  private Path file;
  private JsonLines lines;

  @BeforeEach
  void name() {
    file = folder.resolve("insights/some.jsonl");
    lines = new JsonLines(file, LONGEST);
  }

  private static String line(Object number) {
    return "{\"n\":\"" + number + "\"}";
  }

  private static boolean isOurs(String line) {
    return line.matches("\\{\"n\":\"[-0-9]+\"}");
  }

  private static Optional<String> parse(String line) {
    return Optional.of(line).filter(JsonLinesTest::isOurs);
  }

  private List<String> ours() throws IOException {
    List<String> all = new ArrayList<>();
    lines.read(JsonLinesTest::parse, all::add);
    return all;
  }

  @Test
  void whatIsAppendedIsReadInItsOrder() throws IOException {
    assertEquals(new JsonLines.Count(0, 0), lines.read(Optional::of, line -> {}));
    assertEquals(0, lines.size());
    lines.append(List.of(line(1), line(2)));
    lines.append(List.of(line(3)));
    assertEquals(List.of(line(1), line(2), line(3)), ours());
    assertEquals(line(1) + "\n" + line(2) + "\n" + line(3) + "\n", Files.readString(file));
    assertEquals(Files.size(file), lines.size());
  }

  @Test
  void linesOfAnyLengthFallAnywhereIntoABuffer() throws IOException {
    lines = new JsonLines(file, 1 << 20);
    Random random = new Random(5);
    List<String> some = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      some.add("é" + "x".repeat(random.nextInt(1 << random.nextInt(1, 17))));
    }
    lines.append(some);
    List<String> read = new ArrayList<>();
    lines.read(Optional::of, read::add);
    assertEquals(some, read);
  }

  @Test
  void aLineThatIsTooLongIsPassedOverAndNeverHeld() throws IOException {
    lines.append(List.of(line(1), "x".repeat(LONGEST), "y".repeat(LONGEST + 1), line(2)));
    List<String> read = new ArrayList<>();
    assertEquals(new JsonLines.Count(3, 1), lines.read(Optional::of, read::add));
    assertEquals(List.of(line(1), "x".repeat(LONGEST), line(2)), read);
  }

  @Test
  void blankLinesAreNothing() throws IOException {
    lines.append(List.of(line(1), "", " ", line(2)));
    assertEquals(2, lines.read(Optional::of, line -> {}).all());
  }

  /** Torn anywhere: what stood before is known, and what is added is not lost in the torn line. */
  @Test
  void aTornTailCostsOneLine() throws IOException {
    lines.append(List.of(line(1)));
    long whole = Files.size(file);
    lines.append(List.of(line(2)));
    byte[] bytes = Files.readAllBytes(file);
    for (int length = 0; length < bytes.length; length++) {
      Files.write(file, Arrays.copyOf(bytes, length));
      lines.append(List.of(line(3)));
      assertTrue(ours().contains(line(3)), "cut at " + length);
      assertEquals(length >= whole - 1, ours().contains(line(1)), "cut at " + length);
    }
  }

  /** A flipped bit costs the line that it is in, and the next one where it was the end. */
  @Test
  void aFlippedBitCostsTwoLinesAtMost() throws IOException {
    lines.append(List.of(line(0), line(1), line(2), line(3)));
    byte[] bytes = Files.readAllBytes(file);
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, flipped);
      Set<String> left = new HashSet<>(ours());
      left.retainAll(Set.of(line(0), line(1), line(2), line(3)));
      assertTrue(left.size() >= 2, "bit " + bit + ": " + left);
    }
    lines.append(List.of(line(9))); // the last flip was in the last line's end
    assertTrue(ours().contains(line(9)));
  }

  @Test
  void aFullDiskLeavesTheFileAsItWas() throws IOException {
    lines.append(List.of(line(1)));
    for (int room = 0; room < 12; room++) {
      int space = room;
      JsonLines full =
          new JsonLines(
              file,
              LONGEST,
              (channel, bytes, at) -> {
                byte[] some = Arrays.copyOf(bytes.array(), space);
                channel.write(ByteBuffer.wrap(some), at);
                throw new IOException("No space left on device");
              });
      assertThrows(IOException.class, () -> full.append(List.of(line(2))));
      assertEquals(line(1) + "\n", Files.readString(file), "room for " + room);
    }
    lines.append(List.of(line(3)));
    assertEquals(List.of(line(1), line(3)), ours());
  }

  @Test
  void anInterruptNeitherTearsNorRepeatsALine() throws IOException {
    Thread.currentThread().interrupt();
    lines.append(List.of(line(1)));
    lines.rewrite(JsonLinesTest::isOurs);
    assertTrue(Thread.interrupted());
    assertEquals(List.of(line(1)), ours());
  }

  @Test
  void rewritingKeepsWhatIsWanted() throws IOException {
    lines.append(List.of(line(1), "damage", line(2), "x".repeat(LONGEST + 1), line(3)));
    lines.rewrite(line -> isOurs(line) && !line.equals(line(2)));
    assertEquals(line(1) + "\n" + line(3) + "\n", Files.readString(file));
  }

  @Test
  void noLinkIsWrittenThroughAndNothingButFilesIsRead() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Files.createDirectory(file.getParent());
    Files.createSymbolicLink(file, victim);
    assertThrows(IOException.class, () -> lines.append(List.of(line(1))));
    assertThrows(IOException.class, () -> lines.rewrite(line -> true));
    assertEquals("private", Files.readString(victim));
    Files.delete(file);
    Files.createDirectory(file);
    assertThrows(IOException.class, () -> lines.append(List.of(line(1))));
    assertThrows(IOException.class, () -> lines.read(Optional::of, line -> {}));
  }

  /** A pipe in the place of a file has nobody at its other end: opening it would wait for ever. */
  @Test
  void aPipeIsAnErrorAndNoHang() throws Exception {
    Files.createDirectory(file.getParent());
    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
    assertThrows(IOException.class, () -> lines.append(List.of(line(1))));
    assertThrows(IOException.class, () -> lines.read(Optional::of, line -> {}));
  }

  @Test
  void theFolderIsMadeButNotWhatItIsIn() throws IOException {
    JsonLines gone = new JsonLines(folder.resolve("moved/insights/some.jsonl"), LONGEST);
    assertThrows(IOException.class, () -> gone.append(List.of(line(1))));
    assertFalse(Files.exists(folder.resolve("moved")));
  }

  /** Two processes, of two threads each, append to a file that a third writes anew all the time. */
  @Test
  void processesThatWriteAtOnceLoseNothing() throws Exception {
    List<Process> others = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      others.add(
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-Xshare:auto",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Appending.class.getName(),
                  file.toString(),
                  String.valueOf(i))
              .inheritIO()
              .start());
    }
    while (others.stream().anyMatch(Process::isAlive)) {
      lines.rewrite(line -> true);
      others.getFirst().waitFor(5, TimeUnit.MILLISECONDS); // others have their turn, too
    }
    for (Process other : others) {
      assertTrue(other.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, other.exitValue());
    }
    List<String> all = ours();
    assertEquals(2 * 2 * Appending.LINES, all.size());
    assertEquals(all.size(), new HashSet<>(all).size());
    assertEquals(0, lines.read(JsonLinesTest::parse, line -> {}).passedOver());
  }

  /** The other process: a file, and a number that tells it from others. */
  static final class Appending {
    static final int LINES = 40;

    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(arguments[0]);
      try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
        for (int i = 0; i < 2; i++) {
          int thread = i;
          threads.submit(
              () -> {
                for (int n = 0; n < LINES; n++) {
                  new JsonLines(file, LONGEST)
                      .append(List.of(line(arguments[1] + "-" + thread + "-" + n)));
                }
                return null;
              });
        }
      }
    }
  }

  /** A line in the middle of being written, as a kill leaves it. */
  @Test
  void whatAKillLeftOfALineStandsAlone() throws IOException {
    lines.append(List.of(line(1)));
    Files.writeString(file, "{\"n\":", StandardOpenOption.APPEND);
    lines.append(List.of(line(2)));
    assertEquals(List.of(line(1), line(2)), ours());
    assertEquals(1, lines.read(JsonLinesTest::parse, line -> {}).passedOver());
  }
}
