package dev.helixbg.embed.cache;

/** Why a cache file cannot be trusted; never leaves this package. */
final class CacheFault extends Exception {
  private static final long serialVersionUID = 1L;

  CacheFault(String message) {
    super(message);
  }
}
