package dev.helixbg.insight.acts;

/** Reports an act that calls of helix cannot carry out without a change of something else. */
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
