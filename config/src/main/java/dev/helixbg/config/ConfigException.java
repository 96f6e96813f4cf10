package dev.helixbg.config;

/** An error of a setting; the message names the key, its origin, and the valid values. */
public final class ConfigException extends RuntimeException {
  ConfigException(String message) {
    super(message);
  }
}
