package dev.helixbg.insight.findings;

import java.util.Locale;

/**
 * A share, {@code good} of {@code of}, with its 95 % confidence interval (Wilson 1927, "Probable
 * inference, the law of succession, and statistical inference").
 */
public record Share(int good, int of) {
  private static final double Z = 1.959964;

  /** Returns the share, from 0 to 1; 0 if {@code of} is 0. */
  public double value() {
    return of == 0 ? 0 : (double) good / of;
  }

  public double low() {
    return of == 0 ? 0 : Math.max(0, centre() - half());
  }

  public double high() {
    return of == 0 ? 1 : Math.min(1, centre() + half());
  }

  private double centre() {
    return (value() + Z * Z / (2 * of)) / (1 + Z * Z / of);
  }

  private double half() {
    double variance = value() * (1 - value()) / of + Z * Z / (4.0 * of * of);
    return Z * Math.sqrt(variance) / (1 + Z * Z / of);
  }

  /** Returns the share and its interval, such as {@code 70 % (48–85)}. */
  public String words() {
    return String.format(
        Locale.ROOT, "%.0f %% (%.0f–%.0f)", 100 * value(), 100 * low(), 100 * high());
  }
}
