package dev.helixbg.llm.backend.scalar;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.Batch.Span;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.backend.host.HostBackend;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.backend.host.HostRope;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The reference backend, which defines the result of each step: simple, slow, with one thread.
 *
 * <p>Sums are computed in double and rounded once, so results are as exact as floats allow.
 */
public final class ScalarBackend extends HostBackend {

  @Override
  public String name() {
    return "scalar";
  }

  @Override
  public void normProject(
      Batch batch, Activations x, Norm norm, Matrix wq, Matrix wk, Matrix wv, Qkv target) {
    float[][] normed = normalise(readRows(x, batch.rows()), norm);
    writeRows(target.q(), product(wq, normed));
    writeRows(target.k(), product(wk, normed));
    writeRows(target.v(), product(wv, normed));
  }

  @Override
  public void rotateAndCache(Batch batch, Qkv qkv, Norm qNorm, Norm kNorm, Rope rope, int layer) {
    float[][] q = readRows(qkv.q(), batch.rows());
    float[][] k = readRows(qkv.k(), batch.rows());
    float[][] v = readRows(qkv.v(), batch.rows());
    for (Span span : batch.spans()) {
      HostKvCache cache = (HostKvCache) span.cache();
      for (int i = 0; i < span.count(); i++) {
        int row = span.firstRow() + i;
        int position = span.start() + i;
        normaliseAndRotateHeads(q[row], qNorm, (HostRope) rope, position);
        normaliseAndRotateHeads(k[row], kNorm, (HostRope) rope, position);
        store(cache, layer, position, k[row], v[row]);
      }
    }
    writeRows(qkv.q(), q);
    writeRows(qkv.k(), k);
  }

  private static void normaliseAndRotateHeads(
      float[] heads, Norm norm, HostRope rope, int position) {
    float[] gain = weightRow((HostMatrix) norm.gain(), 0);
    rope.fillTo(position + 1);
    int half = rope.pairs();
    for (int head = 0; head < heads.length; head += 2 * half) {
      float scale = inverseRootMeanSquare(heads, head, 2 * half, norm.epsilon());
      for (int i = 0; i < half; i++) {
        float a = heads[head + i] * scale * gain[i];
        float b = heads[head + i + half] * scale * gain[i + half];
        float cos = rope.table().get(ValueLayout.JAVA_FLOAT, rope.cosines(position) + 4L * i);
        float sin =
            rope.table().get(ValueLayout.JAVA_FLOAT, rope.cosines(position) + 4L * (half + i));
        heads[head + i] = a * cos - b * sin;
        heads[head + i + half] = a * sin + b * cos;
      }
    }
  }

  private static void store(HostKvCache cache, int layer, int position, float[] k, float[] v) {
    int size = cache.shape().headSize();
    for (int head = 0; head < cache.shape().kvHeads(); head++) {
      put(cache.key(position, layer, head), k, head * size, size);
      put(cache.value(position, layer, head), v, head * size, size);
    }
  }

  @Override
  public void attend(Batch batch, Activations q, int layer, Activations target) {
    float[][] queries = readRows(q, batch.rows());
    for (Span span : batch.spans()) {
      HostKvCache cache = (HostKvCache) span.cache();
      int size = cache.shape().headSize();
      int group = q.columns() / size / cache.shape().kvHeads();
      for (int i = 0; i < span.count(); i++) {
        int row = span.firstRow() + i;
        float[] attended = new float[q.columns()];
        for (int head = 0; head < q.columns() / size; head++) {
          float[] query = Arrays.copyOfRange(queries[row], head * size, (head + 1) * size);
          float[] sum = attendHead(cache, layer, head / group, span.start() + i + 1, query);
          System.arraycopy(sum, 0, attended, head * size, size);
        }
        target.write(row, attended);
      }
    }
  }

  private static float[] attendHead(
      HostKvCache cache, int layer, int kvHead, int positions, float[] query) {
    int size = query.length;
    double[] weights = new double[positions];
    double max = Double.NEGATIVE_INFINITY;
    float[] numbers = new float[size];
    for (int p = 0; p < positions; p++) {
      get(cache.key(p, layer, kvHead), numbers);
      double dot = 0;
      for (int i = 0; i < size; i++) {
        dot += (double) query[i] * numbers[i];
      }
      weights[p] = dot / Math.sqrt(size);
      max = Math.max(max, weights[p]);
    }
    double total = 0;
    double[] sum = new double[size];
    for (int p = 0; p < positions; p++) {
      get(cache.value(p, layer, kvHead), numbers);
      double weight = Math.exp(weights[p] - max);
      total += weight;
      for (int i = 0; i < size; i++) {
        sum[i] += weight * numbers[i];
      }
    }
    for (int i = 0; i < size; i++) {
      numbers[i] = (float) (sum[i] / total);
    }
    return numbers;
  }

  @Override
  public void addProduct(Batch batch, Activations input, Matrix w, Activations x) {
    float[][] product = product(w, readRows(input, batch.rows()));
    float[][] sum = readRows(x, batch.rows());
    for (int r = 0; r < sum.length; r++) {
      for (int i = 0; i < sum[r].length; i++) {
        sum[r][i] += product[r][i];
      }
    }
    writeRows(x, sum);
  }

  @Override
  public void normGateUp(
      Batch batch, Activations x, Norm norm, Matrix gate, Matrix up, Activations target) {
    float[][] normed = normalise(readRows(x, batch.rows()), norm);
    float[][] gated = product(gate, normed);
    float[][] raised = product(up, normed);
    for (int r = 0; r < gated.length; r++) {
      for (int i = 0; i < gated[r].length; i++) {
        gated[r][i] = (float) (gated[r][i] / (1 + Math.exp(-gated[r][i])) * raised[r][i]);
      }
    }
    writeRows(target, gated);
  }

  @Override
  public void logits(Batch batch, Activations x, Norm norm, Matrix output, Activations logits) {
    float[][] wanted = new float[batch.wanted()][x.columns()];
    for (int i = 0; i < wanted.length; i++) {
      x.read(batch.wantedRow(i), wanted[i]);
    }
    writeRows(logits, product(output, normalise(wanted, norm)));
  }

  @Override
  public void argmax(Batch batch, Activations logits, TokenSlots tokens, int slot) {
    float[] row = new float[logits.columns()];
    for (int r = 0; r < batch.wanted(); r++) {
      logits.read(r, row);
      int best = 0;
      boolean numbers = !Float.isNaN(row[0]);
      for (int i = 1; i < row.length; i++) {
        best = row[i] > row[best] ? i : best;
        numbers &= !Float.isNaN(row[i]);
      }
      tokens.set(slot, r, numbers ? best : 0);
    }
  }

  private static float[][] product(Matrix matrix, float[][] vectors) {
    HostMatrix w = (HostMatrix) matrix;
    double[][] columns = transposed(vectors, w.columns());
    float[][] products = new float[vectors.length][w.rows()];
    for (int o = 0; o < w.rows(); o++) {
      float[] weights = weightRow(w, o);
      double[] sums = new double[vectors.length];
      for (int i = 0; i < weights.length; i++) {
        for (int r = 0; r < sums.length; r++) {
          sums[r] += weights[i] * columns[i][r];
        }
      }
      for (int r = 0; r < sums.length; r++) {
        products[r][o] = (float) sums[r];
      }
    }
    return products;
  }

  /** Returns the vectors as columns, so that the compiler can vectorise the sums. */
  private static double[][] transposed(float[][] vectors, int length) {
    double[][] columns = new double[length][vectors.length];
    for (int r = 0; r < vectors.length; r++) {
      for (int i = 0; i < length; i++) {
        columns[i][r] = vectors[r][i];
      }
    }
    return columns;
  }

  private static float[][] normalise(float[][] vectors, Norm norm) {
    float[] gain = weightRow((HostMatrix) norm.gain(), 0);
    for (float[] v : vectors) {
      float scale = inverseRootMeanSquare(v, 0, v.length, norm.epsilon());
      for (int i = 0; i < v.length; i++) {
        v[i] = v[i] * scale * gain[i];
      }
    }
    return vectors;
  }

  private static float inverseRootMeanSquare(float[] values, int first, int count, float epsilon) {
    double squares = 0;
    for (int i = first; i < first + count; i++) {
      squares += (double) values[i] * values[i];
    }
    return (float) (1 / Math.sqrt(squares / count + epsilon));
  }

  private static float[] weightRow(HostMatrix w, int row) {
    float[] weights = new float[w.columns()];
    w.read(row, weights);
    return weights;
  }

  private static float[][] readRows(Activations source, int rows) {
    float[][] values = new float[rows][source.columns()];
    for (int r = 0; r < rows; r++) {
      source.read(r, values[r]);
    }
    return values;
  }

  private static void writeRows(Activations target, float[][] values) {
    for (int r = 0; r < values.length; r++) {
      target.write(r, values[r]);
    }
  }

  private static void get(long address, float[] numbers) {
    MemorySegment halves = MemorySegment.ofAddress(address).reinterpret(2L * numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Float.float16ToFloat(halves.getAtIndex(ValueLayout.JAVA_SHORT, i));
    }
  }

  private static void put(long address, float[] numbers, int first, int count) {
    MemorySegment halves = MemorySegment.ofAddress(address).reinterpret(2L * count);
    for (int i = 0; i < count; i++) {
      halves.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(numbers[first + i]));
    }
  }
}
