package dev.helixbg.llm.softmetal;

/** The software Metal cannot be built here; the message says what is missing. */
public final class SoftMetalUnavailableException extends RuntimeException {
  SoftMetalUnavailableException(String message) {
    super(message);
  }
}
