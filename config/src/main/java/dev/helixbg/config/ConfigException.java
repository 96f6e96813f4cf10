package dev.helixbg.config;

/**
 * A setting that cannot be used; the message names the key, where it was written, and what would be
 * valid.
 */
public final class ConfigException extends RuntimeException {
  ConfigException(String message) {
    super(message);
  }
}
