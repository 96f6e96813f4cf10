package dev.helixbg.llm.bench;

import dev.helixbg.llm.cpu.ThreadTeam;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Measures a step between matrix products, on more activations than the CPU's caches can hold. */
final class RowsCase implements KernelCase {
  private static final int COLUMNS = 1024;
  private static final int HEAD = 128;
  private static final float EPSILON = 1e-6f;

  /** Number of rows whose results are checked, evenly spread over all rows. */
  private static final int CHECKED = 61;

  private final Arena arena = Arena.ofShared();
  private final ThreadTeam team;
  private final Step step;
  private final int rows;
  private final MemorySegment x;
  private final MemorySegment y;
  private final MemorySegment gain = floats(COLUMNS);
  private final MemorySegment angles = floats(HEAD);

  /** Steps, each with its name and the number of bytes that it reads and writes per value. */
  enum Step {
    NORM("RMSNorm", 8),
    ROTATE("norm and RoPE of heads", 8),
    GATE("SiLU · up", 12);

    private final String label;
    private final int bytes;

    Step(String label, int bytes) {
      this.label = label;
      this.bytes = bytes;
    }
  }

  RowsCase(ThreadTeam team, Step step, int rows) {
    this.team = team;
    this.step = step;
    this.rows = rows;
    x = floats((long) rows * COLUMNS);
    y = floats((long) rows * COLUMNS);
    SplittableRandom random = new SplittableRandom(4);
    for (long i = 0; i < (long) rows * COLUMNS; i++) {
      x.setAtIndex(ValueLayout.JAVA_FLOAT, i, 4 * random.nextFloat() - 2);
      y.setAtIndex(ValueLayout.JAVA_FLOAT, i, 4 * random.nextFloat() - 2);
    }
    for (int i = 0; i < COLUMNS; i++) {
      gain.setAtIndex(ValueLayout.JAVA_FLOAT, i, 0.5f + random.nextFloat());
    }
    for (int i = 0; i < HEAD / 2; i++) {
      angles.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) Math.cos(i));
      angles.setAtIndex(ValueLayout.JAVA_FLOAT, i + HEAD / 2, (float) Math.sin(i));
    }
  }

  private MemorySegment floats(long count) {
    return arena.allocate(4 * count, 64);
  }

  @Override
  public String name() {
    return "%s, rows of %,d".formatted(step.label, COLUMNS);
  }

  @Override
  public Limit limit() {
    return Limit.MEMORY;
  }

  @Override
  public double amount() {
    return (double) step.bytes * rows * COLUMNS;
  }

  @Override
  public void run() {
    int parts = team.size();
    team.run(
        (member, part) -> {
          int end = (int) ((long) rows * (part + 1) / parts);
          for (int r = (int) ((long) rows * part / parts); r < end; r++) {
            row(r, y.address() + 4L * COLUMNS * r);
          }
        },
        parts);
  }

  private void row(int r, long target) {
    long source = x.address() + 4L * COLUMNS * r;
    switch (step) {
      case NORM -> VectorOps.normalise(source, COLUMNS, gain.address(), EPSILON, target);
      case ROTATE -> {
        for (int head = 0; head < COLUMNS; head += HEAD) {
          VectorOps.normaliseAndRotate(
              target + 4L * head, HEAD / 2, gain.address(), EPSILON, angles.address());
        }
      }
      case GATE -> VectorOps.gate(source, COLUMNS, target);
    }
  }

  /** Returns the error for separate rows, because two of the steps change their input. */
  @Override
  public double error() {
    double worst = 0;
    double largest = 0;
    try (Arena own = Arena.ofConfined()) {
      MemorySegment target = own.allocate(4L * COLUMNS, 64);
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < CHECKED; i++) {
        int r = (int) ((rows - 1L) * i / (CHECKED - 1));
        double[] before = new double[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
          float value = (float) random.nextGaussian();
          target.setAtIndex(ValueLayout.JAVA_FLOAT, c, value);
          before[c] = value;
        }
        row(r, target.address());
        double[] expected = expected(r, before);
        for (int c = 0; c < COLUMNS; c++) {
          double actual = target.getAtIndex(ValueLayout.JAVA_FLOAT, c);
          worst = Math.max(worst, Math.abs(expected[c] - actual));
          largest = Math.max(largest, Math.abs(expected[c]));
        }
      }
    }
    return worst / largest;
  }

  private double[] expected(int r, double[] before) {
    double[] expected = new double[COLUMNS];
    switch (step) {
      case NORM -> {
        double[] source = new double[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
          source[c] = source(r, c);
        }
        normalised(source, 0, COLUMNS, expected);
      }
      case ROTATE -> {
        for (int head = 0; head < COLUMNS; head += HEAD) {
          normalised(before, head, HEAD, expected);
          for (int i = 0; i < HEAD / 2; i++) {
            double a = expected[head + i];
            double b = expected[head + i + HEAD / 2];
            expected[head + i] = a * Math.cos(i) - b * Math.sin(i);
            expected[head + i + HEAD / 2] = a * Math.sin(i) + b * Math.cos(i);
          }
        }
      }
      case GATE -> {
        for (int c = 0; c < COLUMNS; c++) {
          expected[c] = source(r, c) / (1 + Math.exp(-source(r, c))) * before[c];
        }
      }
    }
    return expected;
  }

  private double source(int r, int c) {
    return x.getAtIndex(ValueLayout.JAVA_FLOAT, (long) r * COLUMNS + c);
  }

  private void normalised(double[] values, int from, int count, double[] target) {
    double squares = 0;
    for (int i = from; i < from + count; i++) {
      squares += values[i] * values[i];
    }
    double scale = 1 / Math.sqrt(squares / count + EPSILON);
    for (int i = 0; i < count; i++) {
      target[from + i] = values[from + i] * scale * gain.getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }
  }

  @Override
  public double bound() {
    return 1e-5;
  }

  @Override
  public void close() {
    arena.close();
  }
}
