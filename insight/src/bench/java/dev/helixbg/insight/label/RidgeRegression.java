package dev.helixbg.insight.label;

import dev.helixbg.insight.label.LabelFeatures.Sparse;
import java.util.List;

/**
 * Ridge regression: linear least squares with a penalty on the weights. There are fewer examples
 * than features, so the dual form is solved: weights = Xᵀ (X Xᵀ + λ I)⁻¹ Y.
 */
final class RidgeRegression {
  private RidgeRegression() {}

  /**
   * Returns the weights of each output.
   *
   * @param examples feature vectors of the examples, the rows of X
   * @param targets target values Y, indexed by example, then by output
   * @param features number of features
   * @param penalty the penalty λ, above 0
   * @return weights, indexed by output, then by feature
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

  /** Adds {@code factor} times a sparse vector of features to a dense vector. */
  static void add(double[] dense, Sparse features, double factor) {
    for (int i = 0; i < features.at().length; i++) {
      dense[features.at()[i]] += factor * features.value()[i];
    }
  }

  /**
   * Replaces the lower triangle of a matrix by its Cholesky factor L, so that L Lᵀ is the matrix.
   */
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

  /** Solves L Lᵀ x = b, and replaces b by the solution x. */
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
