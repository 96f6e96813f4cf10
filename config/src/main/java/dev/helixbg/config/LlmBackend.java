package dev.helixbg.config;

/** What runs the language model. */
public enum LlmBackend {
  /** The GPU where Metal can use one, else the CPU. */
  AUTO,
  METAL,
  CPU
}
