package dev.helixbg.llm.backend;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A device's lists of token ids, one list per slot. With several slots, a device can write the
 * tokens of a new pass to one slot while the host still reads the tokens of earlier passes from
 * other slots.
 */
public class TokenSlots {
  private final List<MemorySegment> slots;

  /**
   * Creates the lists in the given memory: one segment per slot, with a 32-bit token id per row.
   */
  public TokenSlots(List<MemorySegment> slots) {
    this.slots = slots;
  }

  public int slots() {
    return slots.size();
  }

  public int get(int slot, int row) {
    return slots.get(slot).getAtIndex(ValueLayout.JAVA_INT, row);
  }

  public void set(int slot, int row, int id) {
    slots.get(slot).setAtIndex(ValueLayout.JAVA_INT, row, id);
  }
}
