package dev.helixbg.insight.label;

import dev.helixbg.insight.label.LabelFeatures.Sparse;
import java.util.List;

/**
 * Linear least squares with a penalty on the weights, solved over the examples (the dual form),
 * which are fewer than the features: weights = Xᵀ (X Xᵀ + λ I)⁻¹ Y.
 */
final class RidgeRegression {
  private RidgeRegression() {}

  /**
   * The weights of every output.
   *
   * @param examples n of them
   * @param targets by example and output
   * @param features how many there are
   * @param penalty λ, above zero
   * @return by output and feature
   */
  static double[][] fit(List<Sparse> examples, double[][] targets, int features, double penalty) {
    int n = examples.size();
    double[][] kernel = new double[n][n];
    double[] dense = new double[features];
    for (int i = 0; i < n; i++) {
      add(dense, examples.get(i), 1);
      for (int j = 0; j <= i; j++) {
        kernel[i][j] = examples.get(j).dot(dense);
      }
      kernel[i][i] += penalty;
      add(dense, examples.get(i), -1);
    }
    factorise(kernel);
    int outputs = n == 0 ? 0 : targets[0].length;
    double[][] weights = new double[outputs][features];
    double[] column = new double[n];
    for (int output = 0; output < outputs; output++) {
      for (int i = 0; i < n; i++) {
        column[i] = targets[i][output];
      }
      solve(kernel, column);
      for (int i = 0; i < n; i++) {
        add(weights[output], examples.get(i), column[i]);
      }
    }
    return weights;
  }

  /** Adds {@code factor} times some features to a whole vector. */
  static void add(double[] dense, Sparse features, double factor) {
    for (int i = 0; i < features.at().length; i++) {
      dense[features.at()[i]] += factor * features.value()[i];
    }
  }

  /** Cholesky: the lower triangle becomes L of L Lᵀ. */
  private static void factorise(double[][] a) {
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j <= i; j++) {
        double sum = a[i][j];
        for (int k = 0; k < j; k++) {
          sum -= a[i][k] * a[j][k];
        }
        a[i][j] = i == j ? Math.sqrt(sum) : sum / a[j][j];
      }
    }
  }

  /** Replaces b by the x of L Lᵀ x = b. */
  private static void solve(double[][] l, double[] b) {
    for (int i = 0; i < b.length; i++) {
      for (int k = 0; k < i; k++) {
        b[i] -= l[i][k] * b[k];
      }
      b[i] /= l[i][i];
    }
    for (int i = b.length - 1; i >= 0; i--) {
      for (int k = i + 1; k < b.length; k++) {
        b[i] -= l[k][i] * b[k];
      }
      b[i] /= l[i][i];
    }
  }
}
