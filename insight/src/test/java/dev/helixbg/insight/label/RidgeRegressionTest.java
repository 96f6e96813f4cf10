package dev.helixbg.insight.label;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.label.LabelFeatures.Sparse;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RidgeRegressionTest {

  /** At the minimum the gradient of the penalised squares is zero: Xᵀ (X w − y) + λ w = 0. */
  @Test
  void theGradientIsZeroAtTheSolution() {
    Random random = new Random(5);
    int features = 9;
    for (int n : new int[] {1, 2, 5, 9, 30}) {
      List<Sparse> examples = new ArrayList<>();
      double[][] targets = new double[n][2];
      for (int i = 0; i < n; i++) {
        int[] at = random.ints(0, features).distinct().limit(1 + i % 4).toArray();
        examples.add(new Sparse(at, random.doubles(at.length, -1, 1).toArray()));
        targets[i] = random.doubles(2, -1, 1).toArray();
      }

      double[][] weights = RidgeRegression.fit(examples, targets, features, 0.5);

      for (int output = 0; output < 2; output++) {
        double[] gradient = new double[features];
        for (int i = 0; i < n; i++) {
          double error = examples.get(i).dot(weights[output]) - targets[i][output];
          RidgeRegression.add(gradient, examples.get(i), error);
        }
        for (int f = 0; f < features; f++) {
          assertEquals(0, gradient[f] + 0.5 * weights[output][f], 1e-9);
        }
      }
    }
  }
}
