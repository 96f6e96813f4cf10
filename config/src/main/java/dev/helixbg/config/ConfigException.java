package dev.helixbg.config;

/** An error in the settings or in their file. The message tells the user what to correct. */
public final class ConfigException extends RuntimeException {
  ConfigException(String message) {
    super(message);
  }
}
