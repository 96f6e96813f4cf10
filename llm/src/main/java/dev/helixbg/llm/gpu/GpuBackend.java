package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.gpu.AttentionEncoder.GpuRope;
import dev.helixbg.llm.gpu.CompiledKernels.RowsKernel;
import dev.helixbg.llm.gpu.CompiledKernels.WeightsKernel;
import dev.helixbg.llm.gpu.GpuKvCache.KvBlocks;
import dev.helixbg.llm.gpu.WeightBuffers.GpuMatrix;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Runs models on a GPU. A step of a pass only encodes dispatches (starts of kernels): usually one
 * for few rows, as in decoding, and several for many rows. {@link #submit} submits all encoded
 * dispatches as one command buffer.
 */
public final class GpuBackend implements Backend {
  private final GpuDevice device;
  private final boolean closesDevice;
  private final Arena arena = Arena.ofShared();
  private final BackendCounters counters = new BackendCounters();
  private final CompiledKernels kernels;
  private final CommandRecorder recorder;
  private final BatchTables.Last tables;
  private final WeightBuffers weights;
  private final MatmulEncoder products;
  private final AttentionEncoder attention;
  private final ArgmaxEncoder argmax;
  private final Map<KvShape, KvBlocks> caches = new HashMap<>();
  private boolean closed;

  public GpuBackend(GpuDevice device, boolean closesDevice) {
    this.device = device;
    this.closesDevice = closesDevice;
    kernels = new CompiledKernels(device);
    recorder = new CommandRecorder(device, arena, counters);
    tables = new BatchTables.Last(recorder);
    weights = new WeightBuffers(device, arena);
    products = new MatmulEncoder(recorder, kernels, counters);
    attention = new AttentionEncoder(recorder, kernels);
    argmax = new ArgmaxEncoder(recorder, kernels);
  }

  @Override
  public String name() {
    return device.backend();
  }

  @Override
  public int depth() {
    return CommandBufferRing.DEPTH;
  }

  /**
   * Returns false. If a fork shares part of a cache block, it copies the block before the pass. The
   * copy would lack the keys and values that the pass writes.
   */
  @Override
  public boolean forksWithinPass() {
    return false;
  }

  @Override
  public BackendCounters counters() {
    return counters;
  }

  public GpuDevice device() {
    return device;
  }

  /**
   * Throws a {@link GpuException} if the GPU has less than {@code bytes} bytes of free memory. Must
   * be called before any part of a model is loaded.
   */
  public void requireRoom(long bytes) {
    long budget = device.memoryBudget() - device.memoryUsed();
    if (bytes > budget) {
      throw new GpuException(
          "the model with a full context needs %.1f GB of GPU memory, but %s has only %.1f GB free"
              .formatted(bytes / 1e9, device.name(), budget / 1e9));
    }
  }

  /**
   * Runs {@code steps} as a rehearsal, in which the GPU computes nothing, to find the kernels that
   * the steps need. Then compiles these kernels and makes the weights readable by the GPU.
   */
  public void compile(Runnable steps) {
    kernels.rehearse();
    recorder.rehearse(true);
    try {
      steps.run();
    } finally {
      recorder.rehearse(false);
      counters.clear();
    }
    Runnable compiled = kernels.compileWanted();
    try {
      weights.placeAll();
    } finally {
      compiled.run();
    }
  }

  /** Copies a buffer's first {@code bytes} bytes to its next {@code bytes} bytes, in benchmarks. */
  void copyBlock(GpuBuffer buffer, int bytes) {
    copyBlock(recorder, kernels, buffer, 0, 1, bytes);
  }

  /**
   * Encodes a copy of block {@code from} of a buffer to block {@code to}. A block has {@code bytes}
   * bytes, a multiple of 16.
   */
  static void copyBlock(
      CommandRecorder recorder,
      CompiledKernels kernels,
      GpuBuffer buffer,
      int from,
      int to,
      long bytes) {
    UploadTables.Table copy = recorder.table(2);
    copy.set(0, from);
    copy.set(1, to);
    recorder.upload(copy, 2);
    int fours = Math.toIntExact(bytes / 16);
    recorder
        .kernel(kernels.get(RowsKernel.COPY_BLOCKS))
        .writes(0, buffer)
        .fixed(1, copy)
        .put(fours)
        .constants(2)
        .dispatch(Math.ceilDiv(fours, MatmulEncoder.ROW_THREADS), 1, 1, MatmulEncoder.ROW_THREADS);
  }

  // ---- buffers --------------------------------------------------------------------------------

  @Override
  public Matrix matrix(Tensor tensor) {
    return weights.matrix(tensor);
  }

  /** Returns the size of mapped weights that had to be copied, in bytes. */
  public long copiedWeightBytes() {
    return weights.copiedBytes();
  }

  @Override
  public Activations activations(int rows, int columns) {
    return GpuActivations.allocate(device, arena, rows, columns);
  }

  @Override
  public TokenSlots tokens(int slots, int rows) {
    return new GpuTokens(
        IntStream.range(0, slots)
            .mapToObj(slot -> device.shared(arena, "tokens " + slot, 4L * rows))
            .toList());
  }

  @Override
  public Rope rope(int headSize, double base, int positions) {
    return GpuRope.make(device, arena, headSize, base, positions);
  }

  @Override
  public KvCache cache(KvShape shape) {
    return new GpuKvCache(caches.computeIfAbsent(shape, s -> new KvBlocks(recorder, kernels, s)));
  }

  // ---- the steps ------------------------------------------------------------------------------

  @Override
  public void embed(Batch batch, TokenSlots tokens, int slot, Matrix table, Activations x) {
    attention.finishRotation();
    GpuMatrix w = (GpuMatrix) table;
    GpuActivations target = (GpuActivations) x;
    GpuBuffer ids = ((GpuTokens) tokens).buffer(slot);
    int sides = Math.ceilDiv(w.columns(), 32) * 2;
    recorder
        .kernel(kernels.get(WeightsKernel.EMBED, List.of(w.type()), w.columns()))
        .reads(0, ids)
        .weights(1, w)
        .writes(2, target.buffer())
        .put(w.columns())
        .put(target.stride())
        .put(w.rowBytes())
        .constants(3)
        .dispatch(Math.ceilDiv(sides, 64), batch.rows(), 1, 64);
  }

  @Override
  public void normProject(
      Batch batch, Activations x, Norm norm, Matrix wq, Matrix wk, Matrix wv, Qkv target) {
    attention.finishRotation();
    products.begin((GpuActivations) x, norm, false);
    products.matrix((GpuMatrix) wq, (GpuActivations) target.q());
    products.matrix((GpuMatrix) wk, (GpuActivations) target.k());
    products.matrix((GpuMatrix) wv, (GpuActivations) target.v());
    products.multiply(tables.of(batch).allRows(), batch.rows());
  }

  @Override
  public void rotateAndCache(Batch batch, Qkv qkv, Norm qNorm, Norm kNorm, Rope rope, int layer) {
    attention.finishRotation();
    attention.rotate(tables.of(batch), qkv, qNorm, kNorm, (GpuRope) rope, layer);
  }

  @Override
  public void attend(Batch batch, Activations q, int layer, Activations target) {
    attention.attend(tables.of(batch), (GpuActivations) q, layer, (GpuActivations) target);
  }

  @Override
  public void keepWanted(Batch batch, Activations x, Activations target) {
    attention.finishRotation();
    GpuActivations from = (GpuActivations) x;
    GpuActivations to = (GpuActivations) target;
    int groups = Math.ceilDiv(from.columns(), MatmulEncoder.ROW_THREADS);
    recorder
        .kernel(kernels.get(RowsKernel.KEEP_ROWS))
        .reads(0, from.buffer())
        .fixed(1, tables.of(batch).wantedRows())
        .writes(2, to.buffer())
        .put(from.columns())
        .put(from.stride())
        .put(to.stride())
        .constants(3)
        .dispatch(groups, batch.wanted(), 1, MatmulEncoder.ROW_THREADS);
  }

  @Override
  public void addProduct(Batch batch, Activations input, Matrix w, Activations x) {
    attention.finishRotation();
    products.begin((GpuActivations) input, null, true);
    products.matrix((GpuMatrix) w, (GpuActivations) x);
    products.multiply(tables.of(batch).allRows(), batch.rows());
  }

  @Override
  public void normGateUp(
      Batch batch, Activations x, Norm norm, Matrix gate, Matrix up, Activations target) {
    attention.finishRotation();
    products.begin((GpuActivations) x, norm, false);
    products.matrix((GpuMatrix) gate, (GpuActivations) target);
    products.matrix((GpuMatrix) up, (GpuActivations) target);
    products.gateUp(tables.of(batch).allRows(), batch.rows());
  }

  @Override
  public void logits(Batch batch, Activations x, Norm norm, Matrix output, Activations logits) {
    attention.finishRotation();
    products.begin((GpuActivations) x, norm, false);
    products.matrix((GpuMatrix) output, (GpuActivations) logits);
    products.findLargest(argmax);
    products.multiply(tables.of(batch).wantedRows(), batch.wanted());
  }

  @Override
  public void argmax(Batch batch, Activations logits, TokenSlots tokens, int slot) {
    attention.finishRotation();
    argmax.one((GpuActivations) logits, batch.wanted(), ((GpuTokens) tokens).buffer(slot));
  }

  @Override
  public Submission submit() {
    attention.finishRotation();
    return recorder.submit();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    recorder.close();
    arena.close();
    if (closesDevice) {
      device.close();
    }
  }

  /**
   * Token ids in memory that host and GPU share. The host may read one slot while the GPU writes
   * another slot.
   */
  static final class GpuTokens extends TokenSlots {
    private final List<GpuBuffer> buffers;

    private GpuTokens(List<GpuBuffer> buffers) {
      super(buffers.stream().map(GpuBuffer::data).toList());
      this.buffers = buffers;
    }

    GpuBuffer buffer(int slot) {
      return buffers.get(slot);
    }
  }
}
