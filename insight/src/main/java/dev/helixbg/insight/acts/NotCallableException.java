package dev.helixbg.insight.acts;

/** Reports an act that no calls of helix can carry out without changing something else, too. */
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
