package dev.helixbg.embed.cache;

/** Why a cache file cannot be trusted; never leaves this package. */
final class CacheFault extends Exception {
  private CacheFault(String message) {
    super(message);
  }

  static void unless(boolean condition, String otherwise) throws CacheFault {
    if (!condition) {
      throw new CacheFault(otherwise);
    }
  }
}
