package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Tokens;

/** Token ids on the heap. */
final class HostTokens implements Tokens {
  private final int[][] ids;

  HostTokens(int slots, int rows) {
    ids = new int[slots][rows];
  }

  @Override
  public int slots() {
    return ids.length;
  }

  @Override
  public int get(int slot, int row) {
    return ids[slot][row];
  }

  @Override
  public void set(int slot, int row, int id) {
    ids[slot][row] = id;
  }
}
