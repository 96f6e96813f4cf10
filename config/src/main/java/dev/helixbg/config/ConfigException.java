package dev.helixbg.config;

/**
 * A setting that cannot be used; the message names the key, where it was written, and what would be
 * valid.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConfigException(String message) {
    super(message);
  }
}
