package dev.helixbg.insight.acts;

/** Reports that no calls can carry out an act without another effect. */
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
