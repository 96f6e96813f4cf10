package dev.helixbg.config;

/** What runs the language model. */
public enum LlmBackend {
  /** A GPU where there is one that can be used, else the CPU. */
  AUTO,
  METAL,
  CUDA,
  CPU
}
