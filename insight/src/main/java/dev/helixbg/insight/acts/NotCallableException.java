package dev.helixbg.insight.acts;

/** Reports an act that calls of helix cannot carry out without changing other data. */
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
