package dev.helixbg.llm.backend;

/**
 * A device's lists of token ids. Several slots let a device choose the next token itself while the
 * host still reads those of earlier passes.
 */
public interface Tokens {
  int slots();

  int get(int slot, int row);

  void set(int slot, int row, int id);
}
