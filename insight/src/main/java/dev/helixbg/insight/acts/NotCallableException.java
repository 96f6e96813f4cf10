package dev.helixbg.insight.acts;

/** Reports that no calls to helix can carry out an act without changing other data. */
final class NotCallableException extends RuntimeException {
  NotCallableException(String why) {
    super(why, null, false, false);
  }

  static void require(boolean condition, String why) {
    if (!condition) {
      throw new NotCallableException(why);
    }
  }
}
