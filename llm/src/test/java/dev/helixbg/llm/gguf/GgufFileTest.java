package dev.helixbg.llm.gguf;

import static dev.helixbg.llm.gguf.GgufBytes.ARRAY;
import static dev.helixbg.llm.gguf.GgufBytes.BOOL;
import static dev.helixbg.llm.gguf.GgufBytes.F32;
import static dev.helixbg.llm.gguf.GgufBytes.INT32;
import static dev.helixbg.llm.gguf.GgufBytes.STRING;
import static dev.helixbg.llm.gguf.GgufBytes.UINT32;
import static dev.helixbg.llm.gguf.GgufBytes.head;
import static dev.helixbg.llm.gguf.GgufErrors.refused;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GgufFileTest {
  private static final long MEMORY_BOUND = 16 << 20;

  /** Time limit that even a busy machine keeps. A parser that believes false counts takes hours. */
  private static final Duration SHORT = Duration.ofSeconds(20);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(BrokenGguf.class)
  void aBrokenFileGivesOneClearErrorInLittleTimeAndMemory(BrokenGguf broken) throws IOException {
    Path file = write(broken.bytes);
    long before = allocatedBytes();
    GgufException error = assertTimeout(SHORT, () -> refused(broken.words, () -> open(file)));
    assertTrue(allocatedBytes() - before < MEMORY_BOUND, "bounded memory");
    assertTrue(error.getMessage().startsWith(file.toString()), error.getMessage());
    assertEquals(broken.name, GgufErrors.name(error));
    assertTrue(
        GgufErrors.offset(error) >= 0 && GgufErrors.offset(error) <= broken.bytes.length,
        error.getMessage());
  }

  @Test
  void whatCannotBeRunIsDescribed() throws IOException {
    GgufBytes bytes =
        head(3, 1)
            .entry("general.architecture", "mamba")
            .tensor("known", F32, 0, 8, 2)
            .tensor("of ggml's", 10, 64, 256)
            .tensor("new", 77, 1 << 20, 64, 64, 3);
    Path file = write(bytes.bytes());
    try (MappedFile mapped = MappedFile.open(file)) {
      GgufDescription described = GgufDescription.of(mapped);
      assertEquals("mamba", described.metadata().text("general.architecture"));
      assertEquals(
          List.of("F32", "Q2_K", "type 77"),
          described.tensors().stream().map(GgufDescription.TensorEntry::typeName).toList());
      assertEquals(64, described.tensors().getFirst().bytes().orElseThrow());
      assertTrue(described.tensors().get(2).bytes().isEmpty());
      assertEquals(List.of(64L, 64L, 3L), described.tensors().get(2).shape());
    }
    refused("known", () -> open(file));
  }

  /** Most metadata is only displayed, so odd metadata is no reason to refuse a model. */
  @Test
  void oddMetadataIsReadAsFarAsItGoes() throws IOException {
    GgufBytes bytes =
        head(0, 3)
            .entry("replaced", "\uFFFD")
            .key("general.description", STRING)
            .u64(3)
            .u8('a')
            .u8(0xE9)
            .u8('b')
            .key("flag", BOOL)
            .u8(2)
            .data(0);
    try (GgufFile file = GgufFile.read(MappedFile.open(write(bytes.bytes())))) {
      assertEquals("\uFFFD", file.metadata().text("replaced"));
      assertEquals("a\uFFFDb", file.metadata().text("general.description"));
      assertEquals("true", file.metadata().values().get("flag").toString());
    }
  }

  @Test
  void aDownloadThatBrokeOffIsCalledThat() throws IOException {
    byte[] whole = goodFile(3);
    for (int length : new int[] {150, whole.length - 1}) {
      Path file = write(Arrays.copyOf(whole, length));
      refused("the download was interrupted", () -> open(file));
    }
  }

  @Test
  void everyTruncationOfAGoodFileIsAnError() throws IOException {
    byte[] whole = goodFile(3);
    for (int length = 0; length < whole.length; length++) {
      Path file = write(Arrays.copyOf(whole, length));
      String at = "cut to " + length + " of " + whole.length;
      assertThrows(GgufException.class, () -> open(file), at);
    }
  }

  /**
   * Damages the heads of models in one to four places. With {@code -Dproofs.all}, makes 200,000
   * heads. The data is a hole in the file, so all weights are zero.
   */
  @Test
  void aDamagedHeadGivesOneShortErrorOrAModelThatComputes() throws IOException {
    List<Path> models =
        Stream.of(GoldenModel.Q4_0, GoldenModel.Q4_K_M, GoldenModel.Q6_K)
            .map(GoldenModel::path)
            .toList();
    List<byte[]> heads = new ArrayList<>();
    for (Path model : models) {
      try (GgufFile whole = GgufFile.read(MappedFile.open(model));
          InputStream in = Files.newInputStream(model)) {
        heads.add(in.readNBytes((int) whole.head().dataStart()));
      }
    }
    for (int seed = 0; seed < (Boolean.getBoolean("proofs.all") ? 200_000 : 1_000); seed++) {
      Random random = new Random(seed);
      int of = random.nextInt(models.size());
      byte[] head = heads.get(of);
      for (int i = random.nextInt(4); i >= 0; i--) {
        head = damaged(head, random);
      }
      long data = Files.size(models.get(of)) - head.length;
      Path file = writeSparse(head, random.nextInt(8) == 0 ? random.nextLong(data) : data);
      boolean computes = seed % 64 == 0;
      String name = "seed " + seed;
      Executable opens = () -> openOrRefuse(file, computes);
      assertTimeout(SHORT, () -> assertDoesNotThrow(opens, name), name);
    }
  }

  private static byte[] damaged(byte[] head, Random random) {
    // The head begins with counts and settings. Then comes the vocabulary, its largest part; the
    // tensors are last.
    int at =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(24);
          case 1 -> random.nextInt(2_000);
          case 2 -> head.length - 1 - random.nextInt(4_000);
          default -> random.nextInt(head.length);
        };
    int other = random.nextInt(head.length);
    int length = 1 + random.nextInt(64);
    long power = (1L << random.nextInt(64)) + random.nextInt(3) - 1;
    long odd = random.nextBoolean() ? power : -power;
    byte[] damaged = head.clone();
    ByteBuffer bytes = ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN);
    switch (random.nextInt(7)) {
      case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> damaged[at] = (byte) random.nextInt();
      case 2 -> bytes.putInt(Math.min(at, head.length - 4), (int) odd);
      case 3 -> bytes.putLong(Math.min(at, head.length - 8), odd);
      case 4 -> {
        return joined(head, at, Math.min(head.length, at + length));
      }
      case 5 -> {
        return joined(head, at, Math.max(0, at - 4 * length));
      }
      default ->
          System.arraycopy(
              head, other, damaged, at, Math.min(length, head.length - Math.max(at, other)));
    }
    return damaged;
  }

  /** Returns the bytes up to {@code end}, then those from {@code begin}. */
  private static byte[] joined(byte[] bytes, int end, int begin) {
    byte[] all = Arrays.copyOf(bytes, end + bytes.length - begin);
    System.arraycopy(bytes, begin, all, end, bytes.length - begin);
    return all;
  }

  private static void openOrRefuse(Path path, boolean computes) throws InterruptedException {
    long before = allocatedBytes();
    try {
      try (GgufFile file = GgufFile.read(MappedFile.open(path))) {
        Qwen3Config.from(file.metadata());
        Vocabulary.from(file.metadata(), Integer.MAX_VALUE);
      }
      assertTrue(allocatedBytes() - before < 4 * MEMORY_BOUND, "bounded memory");
      if (computes) { // the kernels rely on the validation
        ModelOptions options = ModelOptions.of(ModelOptions.Device.CPU, 1, 64);
        try (TextModel model = ModelOpener.open(path, options);
            TextModel.Session session = model.session()) {
          int[] ids = model.tokenizer().encode("Some text");
          model.read(session, Arrays.copyOf(ids, Math.min(8, ids.length)), () -> false);
        }
      }
    } catch (GgufException e) {
      assertTrue(e.getMessage().length() < 1_000, e.getMessage());
    }
  }

  /**
   * With a damaged length, a key can be very long, because the bytes after the key become part of
   * it.
   */
  @Test
  void aMessageQuotesOnlyTheBeginningOfAKey() {
    byte[] file = GgufBytes.head(0, 1).key("k".repeat(60_000), 99).u64(0).bytes();
    GgufException e =
        refused(
            "no value type has the id 99 (in 'kkkk",
            () -> GgufParser.describe("file", MemorySegment.ofArray(file)));
    assertTrue(e.getMessage().length() < 500, e.getMessage().length() + " characters");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aGoodFileIsRead(int version) throws IOException {
    try (GgufFile file = GgufFile.read(MappedFile.open(write(goodFile(version))))) {
      assertEquals(version, file.head().version());
      assertEquals(64, file.head().alignment());
      assertEquals("text", file.metadata().text("a.text"));
      assertEquals(4_000_000_000L, file.metadata().values().get("a.u32"));
      assertEquals(List.of("ä", "", "b"), file.metadata().array("a.strings", 3).strings());
      assertEquals(-7, file.metadata().array("a.ints", 3).ints()[1]);
      Tensor second = file.tensors().get("second");
      assertEquals(TensorType.F32, second.type());
      assertEquals(List.of(4L, 2L), second.shape());
      assertEquals(0, file.head().dataStart() % 64);
      var f32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
      assertEquals(0.5f, second.data().get(f32, 0));
      assertEquals(List.of("first", "second"), List.copyOf(file.tensors().sequencedKeySet()));
    }
  }

  private static byte[] goodFile(int version) {
    GgufBytes bytes =
        new GgufBytes()
            .raw("GGUF")
            .u32(version)
            .u64(2)
            .u64(5)
            .alignment(64)
            .entry("a.text", "text")
            .key("a.u32", UINT32)
            .u32((int) 4_000_000_000L)
            .key("a.strings", ARRAY)
            .u32(STRING)
            .u64(3)
            .string("ä")
            .string("")
            .string("b")
            .key("a.ints", ARRAY)
            .u32(INT32)
            .u64(2)
            .u32(1)
            .u32(-7)
            .tensor("first", F32, 0, 16)
            .tensor("second", F32, 64, 4, 2);
    return bytes
        .raw(new byte[(64 - bytes.size() % 64) % 64 + 64])
        .f32(0.5f)
        .raw(new byte[28])
        .bytes();
  }

  @Test
  void metadataOfAWrongTypeOrOutOfBoundsNamesItsKeyAndPlace() throws IOException {
    Path path =
        write(head(0, 2).entry("name", "x").key("size", UINT32).u32(70_000).data(0).bytes());
    try (GgufFile file = GgufFile.read(MappedFile.open(path))) {
      GgufMetadata metadata = file.metadata();
      GgufException type =
          refused("a whole number is expected, not a String", () -> metadata.whole("name", 0, 9));
      assertEquals("name", GgufErrors.name(type));
      GgufException bounds =
          refused("70000 is not between 1 and 65536", () -> metadata.whole("size", 1, 65_536));
      assertTrue(GgufErrors.offset(bounds) > 24);
      refused("missing", () -> metadata.text("none"));
    }
  }

  @Test
  void escapeSequencesInNamesDoNotReachTheTerminal() throws IOException {
    Path path = write(head(0, 2).entry("\u001b[2J", "1").entry("\u001b[2J", "2").bytes());
    refused("'␛[2J'", () -> open(path));
  }

  @Test
  void aMissingFileAndAFolderAreRefused() {
    refused("no such file", () -> open(folder.resolve("none.gguf")));
    refused("not a regular file", () -> open(folder));
  }

  /** Reads two million empty strings from a sparse file, in bounded time and memory. */
  @Test
  void aHeadOfTensOfMegabytesIsReadInTimeAndWithoutItsStringsInMemory() throws IOException {
    int count = 2 << 20;
    byte[] start = head(0, 1).key("k", ARRAY).u32(STRING).u64(count).bytes();
    Path path = writeSparse(start, 8L * count);
    long before = allocatedBytes();
    assertTimeout(SHORT, () -> GgufFile.read(MappedFile.open(path)).close());
    assertTrue(allocatedBytes() - before < MEMORY_BOUND);
  }

  @Test
  void aHeadAboveTheLimitIsRefused() throws IOException {
    long count = GgufParser.MAX_HEAD_BYTES;
    byte[] start = head(0, 1).key("k", ARRAY).u32(GgufBytes.UINT8).u64(count).bytes();
    Path path = writeSparse(start, count);
    refused("the length of an array", () -> open(path));
  }

  private static void open(Path file) {
    GgufFile.read(MappedFile.open(file)).close();
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("model.gguf"), bytes);
  }

  private Path writeSparse(byte[] start, long zeros) throws IOException {
    Path path = write(start);
    try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
      sparse.setLength(start.length + zeros);
    }
    return path;
  }

  private static long allocatedBytes() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }
}
