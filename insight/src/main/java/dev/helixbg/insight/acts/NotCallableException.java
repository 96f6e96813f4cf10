package dev.helixbg.insight.acts;

/** Thrown when no calls can carry an act out without doing something else, too. */
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
