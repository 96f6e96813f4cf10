package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes random weights and multiplies them with random activations. Both are the same in each run.
 */
final class CpuProduct {
  private CpuProduct() {}

  static Tensor weights(Arena arena, TensorType type, int rows, int columns) {
    long elements = (long) rows * columns;
    MemorySegment data = arena.allocate(type.bytes(elements), 64);
    RandomWeights.fill(type, data, 0, elements, 0.04f, new SplittableRandom(7));
    return new Tensor("w", type, List.of((long) columns, (long) rows), data.asReadOnly());
  }

  static float[][] of(CpuBackend backend, Tensor weights, int vectors) {
    int columns = (int) weights.columns();
    int rows = (int) weights.rows();
    Batch batch = new Batch(vectors, vectors);
    batch.add(backend.cache(new KvShape(1, 1, 16, 128)), vectors, 0);
    Activations input = backend.activations(vectors, columns);
    Activations result = backend.activations(vectors, rows);
    SplittableRandom random = new SplittableRandom(11);
    float[] vector = new float[columns];
    for (int v = 0; v < vectors; v++) {
      for (int c = 0; c < columns; c++) {
        vector[c] = (float) random.nextGaussian();
      }
      input.write(v, vector);
      result.write(v, new float[rows]);
    }
    backend.addProduct(batch, input, backend.matrix(weights), result);
    backend.submit().await();
    float[][] products = new float[vectors][rows];
    for (int v = 0; v < vectors; v++) {
      result.read(v, products[v]);
    }
    return products;
  }
}
