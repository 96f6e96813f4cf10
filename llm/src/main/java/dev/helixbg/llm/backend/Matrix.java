package dev.helixbg.llm.backend;

/** A weight matrix as its backend sees it. */
public interface Matrix {
  int rows();

  int columns();
}
