package dev.helixbg.insight.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects damage up to a limit, and sums up what exceeds it: a hostile log must not fill the
 * memory with complaints.
 */
final class DamageList {
  static final int LIMIT = 1000;

  private final List<LogAccount.Damage> stretches = new ArrayList<>();
  private LogAccount.Damage firstBeyond;
  private int beyond;
  private long bytesBeyond;

  void add(LogAccount.Damage damage) {
    if (stretches.size() < LIMIT - 1) {
      stretches.add(damage);
      return;
    }
    firstBeyond = firstBeyond == null ? damage : firstBeyond;
    beyond++;
    bytesBeyond += damage.unreadable();
  }

  /** By offset; the last one stands for all that exceed the limit. */
  List<LogAccount.Damage> toList() {
    List<LogAccount.Damage> all = new ArrayList<>(stretches);
    if (beyond == 1) {
      all.add(firstBeyond);
    } else if (beyond > 1) {
      all.add(
          new LogAccount.Damage(
              firstBeyond.offset(),
              bytesBeyond,
              firstBeyond.kind(),
              firstBeyond.detail() + "; and " + (beyond - 1) + " more stretches after it"));
    }
    return List.copyOf(all);
  }
}
