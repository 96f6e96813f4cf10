package dev.helixbg.insight.findings;

/** Limits are doubles, similarities floats: how to compare them exactly and early. */
final class FloatLimits {
  private FloatLimits() {}

  /** The largest float that is not above {@code limit}: no float between them is lost. */
  static float atMost(double limit) {
    float rounded = (float) limit;
    return rounded > limit ? Math.nextDown(rounded) : rounded;
  }
}
