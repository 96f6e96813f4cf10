package dev.helixbg.insight.sources;

/** A folder of sources cannot be read; the message says why, without its path. */
final class SourceException extends Exception {
  private static final long serialVersionUID = 1;

  SourceException(String message) {
    super(message);
  }
}
