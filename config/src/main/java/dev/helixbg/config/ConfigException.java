package dev.helixbg.config;

/** An error in a setting. The message names it, where it is set, and the valid values. */
public final class ConfigException extends RuntimeException {
  ConfigException(String message) {
    super(message);
  }
}
