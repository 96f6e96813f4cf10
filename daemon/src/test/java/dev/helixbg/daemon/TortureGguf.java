package dev.helixbg.daemon;

import com.sun.management.ThreadMXBean;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
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

/**
 * Opens model files whose heads were changed in a few places. Each must be refused with one clear
 * error, soon and without much memory, or work. The data is a hole in the file, so all numbers are
 * zero.
 */
final class TortureGguf extends TortureArea {
  private static final long MOST_NANOS = Duration.ofSeconds(20).toNanos();
  private static final long MOST_BYTES = 512L << 20;

  /** One in this many accepted files is also used for a computation. */
  private static final int COMPUTED = 16;

  private static final long[] ODD = {
    0,
    1,
    2,
    3,
    7,
    31,
    33,
    255,
    256,
    65_535,
    65_536,
    0x7FFFFFFFL,
    0x80000000L,
    0xFFFFFFFFL,
    0x100000000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -32,
    1L << 59,
    (1L << 61) + 1,
    1L << 62
  };

  /** The head of a model, and the size of the whole file in bytes. */
  private record Model(byte[] head, long size) {}

  private final List<Model> models = new ArrayList<>();
  private final Path folder;
  private final Path file;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  TortureGguf(Path folder) throws IOException {
    this.folder = folder;
    this.file = folder.resolve("model.gguf");
    for (GoldenModel golden : List.of(GoldenModel.Q4_0, GoldenModel.Q4_K_M, GoldenModel.Q6_K)) {
      Path model = golden.path();
      try (GgufFile whole = GgufFile.read(MappedFile.open(model));
          InputStream in = Files.newInputStream(model)) {
        models.add(new Model(in.readNBytes((int) whole.head().dataStart()), Files.size(model)));
      }
    }
  }

  @Override
  void run(long seed) throws Exception {
    Random random = new Random(seed);
    Model model = models.get(random.nextInt(models.size()));
    byte[] head = model.head();
    for (int i = random.nextInt(4); i >= 0; i--) {
      head = changed(head, random);
    }
    long size = random.nextInt(8) == 0 ? random.nextLong(model.size()) : model.size();
    write(head, size);
    long time = threads.getCurrentThreadCpuTime();
    long memory = threads.getCurrentThreadAllocatedBytes();
    boolean opens = false;
    try (GgufFile opened = GgufFile.read(MappedFile.open(file))) {
      Qwen3Config.from(opened.metadata());
      Vocabulary.from(opened.metadata(), Integer.MAX_VALUE);
      opens = true;
    } catch (RuntimeException e) {
      requireClear(e);
    }
    time = threads.getCurrentThreadCpuTime() - time;
    memory = threads.getCurrentThreadAllocatedBytes() - memory;
    count(opens ? "not refused" : "refused");
    counts.merge("worst ms", time / 1_000_000, Math::max);
    counts.merge("worst MB", memory >> 20, Math::max);
    require(time < MOST_NANOS && memory < MOST_BYTES, "took %d ns, %d bytes", time, memory);
    if (opens && random.nextInt(COMPUTED) == 0) {
      compute(random);
    }
  }

  private void requireClear(RuntimeException e) {
    if (!ErrorReporter.isExpected(e)) {
      throw e;
    }
    String message = e.getMessage();
    require(message.length() < 1_000, "a message of %d characters: %s", message.length(), message);
  }

  private static byte[] changed(byte[] head, Random random) {
    // The head begins with counts and settings. Then comes the vocabulary, its largest part; the
    // tensors are last.
    int at =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(24);
          case 1 -> random.nextInt(Math.min(2_000, head.length));
          case 2 -> head.length - 1 - random.nextInt(Math.min(4_000, head.length));
          default -> random.nextInt(head.length);
        };
    byte[] changed = head.clone();
    ByteBuffer bytes = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
    long odd = ODD[random.nextInt(ODD.length)];
    switch (random.nextInt(7)) {
      case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> changed[at] = (byte) random.nextInt();
      case 2 -> bytes.putInt(Math.min(at, head.length - 4), (int) odd);
      case 3 -> bytes.putLong(Math.min(at, head.length - 8), odd);
      case 4 -> {
        int to = Math.min(head.length, at + 1 + random.nextInt(64));
        return joined(head, at, head, to);
      }
      case 5 -> {
        int from = Math.max(0, at - 1 - random.nextInt(256));
        return joined(head, at, head, from);
      }
      default -> {
        int from = random.nextInt(head.length);
        int length = Math.min(1 + random.nextInt(64), head.length - Math.max(at, from));
        System.arraycopy(head, from, changed, at, length);
      }
    }
    return changed;
  }

  private static byte[] joined(byte[] first, int end, byte[] second, int begin) {
    byte[] all = Arrays.copyOf(first, end + second.length - begin);
    System.arraycopy(second, begin, all, end, second.length - begin);
    return all;
  }

  private void write(byte[] head, long size) throws IOException {
    Files.deleteIfExists(file);
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.write(head);
      out.setLength(size);
    }
  }

  /** Computes with the kernels, which rely on the validation. */
  private void compute(Random random) {
    ModelOptions options = ModelOptions.of(ModelOptions.Device.CPU, 1, 64);
    try (TextModel model = ModelOpener.open(file, options);
        Session session = model.session()) {
      int[] ids = model.tokenizer().encode("Some text, " + random.nextInt());
      model.read(session, Arrays.copyOf(ids, Math.min(8, ids.length)), () -> false);
      count("computed");
    } catch (RuntimeException e) {
      requireClear(e);
    }
  }
}
